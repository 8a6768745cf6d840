import { expect, test } from "vitest";
import { type LegacyJob, useLegacy } from "./client.ts";

/** The calls of qless-py, as its methods make them, and what they do with the replies. */

const legacy = useLegacy();
const NOW = 1389383022.5;

/** `Queue.put`: tags, retries and dependencies are always sent, `retries or 5`. */
function put(queue: string, jid: string, options: { tags?: string[]; depends?: string[] } = {}) {
  const { tags = [], depends = [] } = options;
  const words = ["priority", 0, "tags", JSON.stringify(tags), "retries", 5];
  const args = ["worker", queue, jid, "module.Klass", "{}", 0, ...words];
  return legacy.call("put", NOW, ...args, "depends", JSON.stringify(depends));
}

/** `Queue.pop()`: the first job or None. */
async function pop(queue: string): Promise<LegacyJob | undefined> {
  return (await legacy.json<LegacyJob[]>("pop", NOW, queue, "worker", 1))[0];
}

test("get falls back to recur.get, and both to None", async () => {
  expect(await legacy.call("get", NOW, "a")).toBeNull();
  expect(await legacy.call("recur.get", NOW, "a")).toBeNull();
  const words = ["priority", 0, "tags", "[]", "retries", 5];
  await legacy.call("recur", NOW, "q", "a", "module.Klass", "{}", "interval", 60, 0, ...words);
  expect(await legacy.call("get", NOW, "a")).toBeNull();
  const job = await legacy.json<{ [name: string]: unknown }>("recur.get", NOW, "a");
  for (const name of [
    "jid",
    "priority",
    "tags",
    "retries",
    "interval",
    "count",
    "klass",
    "queue",
  ]) {
    expect(job).toHaveProperty(name);
  }
});

test("a job is made of keyword arguments, of which none is missing", async () => {
  await put("q", "a", { tags: ["x"] });
  const job = await legacy.job(NOW, "a");
  const names = ["data", "jid", "priority", "klass", "queue", "tags", "state", "tracked"];
  names.push("failure", "history", "dependents", "dependencies", "expires", "retries");
  for (const name of [...names, "remaining", "worker"]) expect(job).toHaveProperty(name);
  expect(job).toMatchObject({ klass: "module.Klass", tags: ["x"], expires: 0, retries: 5 });
});

test("heartbeat is a number to compute with, and any refusal a lost lock", async () => {
  await put("q", "a");
  await legacy.call("config.set", NOW, "heartbeat", 10);
  const job = await pop("q");
  expect(job!.expires - NOW).toBeCloseTo(10, 3);
  await legacy.call("config.set", NOW, "heartbeat", 20);
  const expires = Number(await legacy.call("heartbeat", NOW, "a", "worker", "{}"));
  expect(expires - NOW).toBeGreaterThan(job!.expires - NOW);
  await legacy.refused(legacy.call("heartbeat", NOW, "b", "worker", "{}"), /./);
});

test("complete, advance and fail answer with something that is true", async () => {
  for (const jid of ["a", "b", "c"]) await put("q", jid);
  await pop("q");
  expect(await legacy.call("complete", NOW, "a", "worker", "q", "{}")).toBe("complete");
  await pop("q");
  const next = ["next", "p", "delay", 0, "depends", "[]"];
  expect(await legacy.call("complete", NOW, "b", "worker", "q", "{}", ...next)).toBe("waiting");
  await pop("q");
  const why = ["q-ImportError", "Failed to import\n  File x"];
  expect(await legacy.call("fail", NOW, "c", "worker", ...why, "{}")).toBe("c");
});

test("move keeps what requeue does not send", async () => {
  await put("q", "a", { tags: ["x"] });
  await legacy.call("priority", NOW, "a", 7);
  const args = ["worker", "p", "a", "module.Klass", "{}", 0, "depends", "[]"];
  expect(await legacy.call("requeue", NOW, ...args)).toBe("a");
  expect(await legacy.job(NOW, "a")).toMatchObject({ queue: "p", priority: 7, tags: ["x"] });
});

test("retry takes a group and a message, or neither", async () => {
  await put("q", "a");
  await pop("q");
  expect(await legacy.call("retry", NOW, "a", "q", "worker", 0)).toBe(4);
  await pop("q");
  expect(await legacy.call("retry", NOW, "a", "q", "worker", 0, "group", "message")).toBe(3);
  expect((await legacy.job(NOW, "a")).failure).toMatchObject({ group: "group" });
});

test("depend and undepend answer true", async () => {
  for (const jid of ["a", "b"]) await put("q", jid);
  await put("q", "c", { depends: ["a"] });
  expect(await legacy.call("depends", NOW, "c", "on", "b")).toBe(1);
  expect((await legacy.job(NOW, "c")).dependencies).toEqual(["a", "b"]);
  expect(await legacy.call("depends", NOW, "c", "off", "a")).toBe(1);
  expect((await legacy.job(NOW, "c")).dependencies).toEqual(["b"]);
  expect(await legacy.call("depends", NOW, "c", "off", "all")).toBe(1);
  expect((await legacy.job(NOW, "c")).dependencies).toEqual([]);
});

test("the next time of a recurring job is a score in seconds", async () => {
  await legacy.recur(NOW, "q", "r", 60);
  const next = async () => Number(await legacy.redis.zscore("ql:q:q-recur", "r"));
  const before = await next();
  expect(Math.abs(before - NOW)).toBeLessThan(1);
  await pop("q");
  expect(Math.abs((await next()) - before - 60)).toBeLessThan(1);
});

test("the length of a queue is read from its keys", async () => {
  await put("q", "a");
  await put("q", "b");
  await pop("q");
  const sizes = await legacy.redis
    .pipeline()
    .zcard("ql:q:q-locks")
    .zcard("ql:q:q-work")
    .zcard("ql:q:q-scheduled")
    .exec();
  expect(sizes).toEqual([
    [null, 1],
    [null, 1],
    [null, 0],
  ]);
});

test("a worker that resumes finds the jobs it holds", async () => {
  await put("q", "a");
  await pop("q");
  const held = await legacy.json<{ jobs: string[]; stalled: string[] }>("workers", NOW, "worker");
  expect(held).toEqual({ jobs: ["a"], stalled: [] });
  const jobs = await legacy.json<LegacyJob[]>("multiget", NOW, ...held.jobs);
  expect(jobs.map(({ jid }) => jid)).toEqual(["a"]);
});

test("unfail brings back five hundred of a group", async () => {
  for (let i = 0; i < 10; i++) {
    await put("q", `j${i}`);
    await pop("q");
    await legacy.call("fail", NOW, `j${i}`, "worker", "group", "message", "{}");
  }
  expect(await legacy.call("unfail", NOW, "q", "group", 500)).toBe(10);
  for (let i = 0; i < 10; i++) expect(await legacy.state(NOW, `j${i}`)).toBe("waiting");
});

test("settings can be listed, read, cleared and set like a dictionary", async () => {
  const all = await legacy.json<{ [option: string]: unknown }>("config.get", NOW);
  for (const option of Object.keys(all)) await legacy.call("config.unset", NOW, option);
  expect(await legacy.json("config.get", NOW)).toEqual(all);
  await legacy.call("config.set", NOW, "mine", "foo");
  expect(await legacy.call("config.get", NOW, "mine")).toBe("foo");
});

test("the channel of a worker carries what takes a job from it", async () => {
  await put("q", "a");
  await pop("q");
  const heard = await legacy.hearingEvents(() =>
    legacy.call("put", NOW, "somebody", "p", "a", "module.Klass", "{}", 0),
  );
  expect(heard).toContainEqual(["ql:w:worker", { event: "lock_lost", jid: "a", worker: "worker" }]);
});
