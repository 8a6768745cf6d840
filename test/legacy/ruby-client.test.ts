import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { useLegacy } from "./client.ts";
import { RubyClient, RubyRecurringJob } from "./ruby-client.ts";

const legacy = useLegacy();
const clientOf = (worker = "host-1") => new RubyClient(legacy, worker);

test("a job is put, popped, beaten for and completed", async () => {
  const client = clientOf();
  const queue = client.queue("testing");
  const jid = await queue.put("MyJob", { user: 7 }, { tags: ["x"], priority: 1 });
  expect(jid).toMatch(/^[0-9a-f]{32}$/);
  expect(await queue.length()).toBe(1);
  const [job] = await queue.pop();
  expect(job).toMatchObject({ jid, worker: "host-1", state: "running", data: { user: 7 } });
  expect(job!.ttl).toBeGreaterThan(59.99);
  expect(job!.ttl).toBeLessThan(60.01);
  client.now += 30;
  job!.data.done = 1;
  expect(await job!.heartbeat()).toBe(Math.floor(client.now + 60));
  expect(job!.ttl).toBeGreaterThan(58);
  expect(await job!.complete()).toBe("complete");
  const ended = await client.theJob(jid);
  expect(ended).toMatchObject({ state: "complete", queue: "", worker: "", tags: ["x"] });
  expect(ended.data).toEqual({ user: 7, done: 1 });
  expect(ended.history.map(({ what }) => what)).toEqual(["put", "popped", "done"]);
  expect(await queue.length()).toBe(0);
});

test("lengths of queues are read from their keys", async () => {
  const client = clientOf();
  const queue = client.queue("testing");
  await queue.put("MyJob", {});
  await queue.pop();
  const jid = await queue.put("MyJob", {});
  await queue.put("MyJob", {}, { delay: 100_000 });
  await queue.put("MyJob", {}, { depends: [jid] });
  expect(await queue.length()).toBe(4);
});

test("a pipeline of queues is walked with complete", async () => {
  const client = clientOf();
  const jid = await client.queue("one").put("MyJob", {});
  expect(await (await client.queue("one").pop())[0]!.complete("two")).toBe("waiting");
  expect(await (await client.queue("two").pop())[0]!.complete("three", { delay: 60 })).toBe(
    "scheduled",
  );
  client.now += 61;
  const other = await client.queue("other").put("MyJob", {});
  const [job] = await client.queue("three").pop();
  expect(await job!.complete("four", { depends: [other] })).toBe("depends");
  await (await client.queue("other").pop())[0]!.complete();
  expect((await client.theJob(jid)).state).toBe("waiting");
  expect((await client.queue("four").pop())[0]?.jid).toBe(jid);
});

test("a job is moved with its priority, tags, retries and dependencies", async () => {
  const client = clientOf();
  const a = await client.queue("q").put("MyJob", {});
  const jid = await client
    .queue("q")
    .put("MyJob", { n: 1 }, { priority: 5, tags: ["x", "y"], retries: 2, depends: [a] });
  await (await client.theJob(jid)).requeue("other");
  expect(await client.theJob(jid)).toMatchObject({
    queue: "other",
    state: "depends",
    priority: 5,
    tags: ["x", "y"],
    retries: 2,
    dependencies: [a],
  });
});

test("a failed job is found, and comes back", async () => {
  const client = clientOf();
  const jid = await client.queue("q").put("MyJob", {});
  const [job] = await client.queue("q").pop();
  expect(await job!.fail("MyJob:ArgumentError", "no\n\nbacktrace")).toBe(jid);
  expect(await client.parsed("failed")).toEqual({ "MyJob:ArgumentError": 1 });
  const found = await client.failedJobs("MyJob:ArgumentError");
  expect(found.total).toBe(1);
  expect(found.jobs[0]).toMatchObject({ jid, state: "failed", queue: "q", worker: "" });
  expect(found.jobs[0]?.failure).toMatchObject({ message: "no\n\nbacktrace", worker: "host-1" });
  expect(await client.call("unfail", "q", "MyJob:ArgumentError", 500)).toBe(1);
  expect((await client.failedJobs("MyJob:ArgumentError")).jobs).toEqual([]);
  expect((await client.queue("q").pop())[0]?.jid).toBe(jid);
});

test("retries are counted down to a failure", async () => {
  const client = clientOf();
  await client.queue("q").put("MyJob", {}, { retries: 2 });
  for (const left of [1, 0, -1]) {
    const [job] = await client.queue("q").pop();
    expect(await job!.retry()).toBe(left);
  }
  expect(await client.parsed("failed")).toEqual({ "failed-retries-q": 1 });
});

test("a job of another worker cannot be touched", async () => {
  const [a, b] = [clientOf("host-a"), clientOf("host-b")];
  await a.call("config.set", "heartbeat", -10);
  await a.call("config.set", "grace-period", 0);
  await a.queue("q").put("MyJob", {});
  const [mine] = await a.queue("q").pop();
  const [theirs] = await b.queue("q").pop();
  expect(theirs?.jid).toBe(mine?.jid);
  await legacy.refused(mine!.heartbeat(), /another worker/);
  await legacy.refused(mine!.complete(), /another worker/);
  await legacy.refused(mine!.fail("group", "message"), /another worker/);
  await legacy.refused(mine!.retry(), /another worker/);
  expect(await theirs!.complete()).toBe("complete");
});

test("a job is not found as a recurring one is, and then as none", async () => {
  const client = clientOf();
  expect(await client.job("missing")).toBeNull();
  const jid = await client.queue("q").recur("MyJob", { n: 1 }, 60, { tags: ["x"], offset: -1 });
  const recurring = await client.job(jid);
  expect(recurring).toBeInstanceOf(RubyRecurringJob);
  expect(recurring).toMatchObject({ count: 0, interval: 60 });
  const [child] = await client.queue("q").pop();
  expect(child).toMatchObject({ jid: `${jid}-1`, spawnedFrom: jid, tags: ["x"], retries: 5 });
  expect(await client.job(jid)).toMatchObject({ count: 1 });
  expect((await client.theJob(`${jid}-1`)).spawnedFrom).toBe(jid);
  await client.call("unrecur", jid);
  expect(await client.job(jid)).toBeNull();
});

test("the job last spawned is the recurring job's counter", async () => {
  const client = clientOf();
  const jid = await client.queue("q").recur("MyJob", {}, 60);
  client.now += 121;
  const jobs = await client.queue("q").peek(2);
  const recurring = (await client.job(jid)) as RubyRecurringJob;
  expect(`${jid}-${recurring.count}`).toBe(jobs.at(-1)?.jid);
});

test("a queue is paused with what runs there stopped, also when nothing does", async () => {
  const client = clientOf();
  const queue = client.queue("q");
  await queue.pauseAndStop();
  await client.call("unpause", "q");
  await queue.put("MyJob", {});
  const [job] = await queue.pop();
  await queue.pauseAndStop();
  await legacy.refused(job!.complete(), /not currently running/);
  expect(await queue.pop()).toEqual([]);
  await client.call("unpause", "q");
  expect((await queue.pop())[0]?.jid).toBe(job?.jid);
});

test("jobs are canceled in bulk, in any order, gone ones among them", async () => {
  const client = clientOf();
  const queue = client.queue("q");
  const a = await queue.put("MyJob", {});
  const b = await queue.put("MyJob", {}, { depends: [a] });
  await client.call("cancel", ["missing", a, "gone", b]);
  expect(await queue.length()).toBe(0);
  await client.call("cancel", []);
});

test("a worker hears on its own channel of what it lost", async () => {
  const client = clientOf();
  await client.queue("q").put("MyJob", {}, { jid: "a" });
  await client.queue("q").pop();
  const subscriber = new Redis(legacy.server.url);
  const heard: { event: string; jid: string }[] = [];
  subscriber.on("message", (_channel, message) => heard.push(JSON.parse(message)));
  await subscriber.subscribe("ql:w:host-1");
  await client.call("timeout", "a");
  await client.queue("q").pop();
  await client.call("cancel", "a");
  await expect.poll(() => heard.length).toBe(2);
  subscriber.disconnect();
  expect(heard.map(({ event, jid }) => [event, jid])).toEqual([
    ["lock_lost", "a"],
    ["canceled", "a"],
  ]);
});
