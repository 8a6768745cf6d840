import { expect, test } from "vitest";
import { jids, jidsOf, type LegacyJob, useLegacy } from "./client.ts";

const legacy = useLegacy();

const putAll = (all: string[]) => Promise.all(all.map((jid) => legacy.put(0, "q", jid)));

test("nine thousand jobs are popped, read and canceled in one call each", async () => {
  const all = jids(9000);
  await putAll(all);
  await legacy.popped(1, "q", "w", all, 9000);
  expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 9000, scheduled: 0, depends: 0 });
  expect(jidsOf(await legacy.json<LegacyJob[]>("multiget", 2, ...all))).toEqual(all);
  expect(await legacy.call("jobs", 2, "running", "q", 0, -1)).toHaveLength(9000);
  const held = await legacy.json<{ jobs: string[] }>("workers", 2, "w");
  expect(held.jobs).toHaveLength(9000);
  expect(await legacy.call("cancel", 3, ...all)).toEqual(all);
  expect(await legacy.call("length", 3, "q")).toBe(0);
});

test("hundreds of lost locks are handed out to who asks for as many", async () => {
  await legacy.call("config.set", 0, "grace-period", 0);
  const all = jids(300);
  await putAll(all);
  await legacy.pop(0, "q", "w", 300);
  await legacy.popped(100, "q", "other", all, 300);
});

test("hundreds of lost locks are warned about, and handed out after the grace period", async () => {
  const all = jids(300);
  await putAll(all);
  await legacy.pop(0, "q", "w", 300);
  await legacy.popped(100, "q", "other", [], 300);
  await legacy.popped(110, "q", "other", all, 300);
});

test("hundreds of dependents are let go by one completion", async () => {
  await legacy.put(0, "q", "a");
  const all = jids(400);
  await Promise.all(all.map((jid) => legacy.put(0, "q", jid, "depends", '["a"]')));
  await legacy.pop(0, "q", "w", 1);
  await legacy.complete(1, "a", "w", "q");
  await legacy.popped(1, "q", "w", all, 500);
});

test("a job may depend on hundreds of others", async () => {
  const all = jids(500);
  await putAll(all);
  await legacy.put(0, "q", "last", "depends", JSON.stringify(all));
  expect((await legacy.job(0, "last")).dependencies.toSorted()).toEqual(all);
  await legacy.call("depends", 0, "last", "off", "all");
  expect(await legacy.state(0, "last")).toBe("waiting");
});

test("a job may have hundreds of tags", async () => {
  const all = jids(300, "tag");
  await legacy.put(0, "q", "a", "tags", JSON.stringify(all.slice(0, 150)));
  await legacy.call("tag", 0, "add", "a", ...all.slice(150));
  expect((await legacy.job(0, "a")).tags).toEqual(all);
});

test("pop of none gives none", async () => {
  await legacy.put(0, "q", "a");
  expect(await legacy.call("pop", 0, "q", "w", 0)).toBe("[]");
});

test("multiget shows a job as often as it is asked for", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b");
  const jobs = await legacy.json<LegacyJob[]>("multiget", 0, "b", "missing", "a", "b");
  expect(jidsOf(jobs)).toEqual(["b", "a", "b"]);
});

test("numbers in a list of dependencies are jids", async () => {
  await legacy.put(0, "q", "1");
  await legacy.put(0, "q", "2");
  await legacy.put(0, "q", "a", "depends", "[1,2]");
  expect((await legacy.job(0, "a")).dependencies.map(String)).toEqual(["1", "2"]);
});

test("names that look like keys or like members of a prototype are names", async () => {
  const names = ["a", "a-history", "a-dependents", "a-dependencies", "constructor", "__proto__"];
  names.push("toString", "q-work", "w:jobs", "{x}", "*", "1", "-1", "null", "false", "ql:j:a");
  for (const name of names) {
    await legacy.put(0, name, name, "tags", JSON.stringify([name]));
    await legacy.call("track", 0, "track", name);
  }
  for (const name of names) {
    await legacy.popped(0, name, name, [name]);
    expect(await legacy.json("workers", 0, name)).toEqual({ jobs: [name], stalled: [] });
    expect(await legacy.json("tag", 0, "get", name)).toEqual({ total: 1, jobs: [name] });
  }
  for (const name of names) await legacy.fail(0, name, name, name);
  expect(Object.entries(await legacy.json<object>("failed", 0)).sort()).toEqual(
    names.toSorted().map((name) => [name, 1]),
  );
  expect(await legacy.call("cancel", 1, ...names)).toEqual(names);
});
