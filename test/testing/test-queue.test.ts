import { expect, test } from "vitest";
import { defineJobs, payload } from "../../src/index.ts";
import { openTestQueue, TestClock } from "../../src/testing/index.ts";

const jobs = defineJobs({
  greet: payload<{ name: string }>(),
  shout: payload<{ text: string }>(),
  fail: payload<null>(),
});

const handlers = {
  greet: ({ name }: { name: string }) => ({ name, greeting: `Hello, ${name}` }),
  fail: () => {
    throw new TypeError("no luck");
  },
};

test("a job is performed by its handler, and its result kept", async () => {
  await using queue = await openTestQueue({ jobs, handlers });
  const { jid, state } = await queue.performJob("greet", { name: "Ada" });
  expect(state).toBe("complete");
  expect((await queue.client.get(jid))!.data).toEqual({ name: "Ada", greeting: "Hello, Ada" });
});

test("a job that exists is not run again, which is an error of the test", async () => {
  await using queue = await openTestQueue({ jobs, handlers });
  const run = (ifExists?: "replace") =>
    queue.performJob("greet", { name: "Ada" }, { jid: "a", ifExists });
  expect((await run()).state).toBe("complete");
  await expect(run()).rejects.toThrow(/^Job a was kept, so there is nothing to run/);
  expect((await run("replace")).state).toBe("complete");
});

test("a handler that throws costs a retry, and the last one fails the job", async () => {
  await using queue = await openTestQueue({ jobs, handlers });
  const { state, error } = await queue.performJob("fail", null, { retries: 0 });
  expect(state).toBe("failed");
  expect(error).toBeInstanceOf(TypeError);
  expect(await queue.client.failures.groups()).toEqual(new Map([["TypeError", 1]]));
});

test("a klass without a handler is an error of the test", async () => {
  await using queue = await openTestQueue({ jobs, handlers });
  const { error } = await queue.performJob("shout", { text: "hey" });
  expect(error).toMatchObject({ message: "There is no handler for shout" });
});

test("drain runs everything that can be run, and tells what is left", async () => {
  await using queue = await openTestQueue({ jobs, handlers });
  const { client } = queue;
  await client.put("greet", { name: "Ada" }, { jid: "a" });
  await client.put("greet", { name: "Bob" }, { jid: "b", depends: ["a"] });
  await client.put("greet", { name: "Cy" }, { jid: "c", delay: "3h" });
  const first = await queue.drain();
  expect(first.performed.map(({ jid }) => jid)).toEqual(["a", "b"]);
  expect(first.left).toEqual(["c"]);
  await queue.advance("3h");
  const { performed, left } = await queue.drain();
  expect([performed.map(({ jid }) => jid), left]).toEqual([["c"], []]);
});

test("expectPut finds jobs by klass and part of their data", async () => {
  await using queue = await openTestQueue({ jobs, handlers });
  await queue.client.put("greet", { name: "Ada" }, { jid: "a" });
  expect(await queue.expectPut("greet")).toMatchObject([{ jid: "a" }]);
  expect(await queue.expectPut("greet", { name: "Ada" })).toMatchObject([{ jid: "a" }]);
  const wrong = queue.expectPut("greet", { name: "Bob" });
  await expect(wrong).rejects.toThrow(
    'No job of greet with {"name":"Bob"} was put. There is: greet {"name":"Ada"}',
  );
  await queue.drain();
  expect(await queue.expectPut("greet", { name: "Ada" })).toMatchObject([{ state: "complete" }]);
});

test("a lock can be lost on purpose", async () => {
  await using queue = await openTestQueue({ jobs });
  await queue.client.put("greet", { name: "Ada" }, { jid: "a" });
  const [job] = await queue.client.queue("greet").pop();
  await queue.loseLock("a");
  await expect(job!.complete()).rejects.toMatchObject({ name: "LostLock" });
});

test("the clock stands still until it is moved, and locks expire by it", async () => {
  await using queue = await openTestQueue({ jobs, clock: new TestClock("2031-05-01") });
  expect(queue.clock.date).toEqual(new Date("2031-05-01"));
  await queue.client.put("greet", { name: "Ada" }, { jid: "a" });
  await queue.client.queue("greet").pop({ worker: "w" });
  await queue.advance("59s");
  expect((await queue.client.get("a"))!.state).toBe("running");
  await queue.advance("12s");
  await queue.advance("12s");
  expect((await queue.client.get("a"))!.worker).toBe("");
  queue.clock.set("2031-05-02");
  expect(queue.clock.now()).toBe(Date.parse("2031-05-02"));
});

test("pauses and statistics go by the clock of the queue, not of the machine", async () => {
  await using queue = await openTestQueue({ jobs, handlers });
  const greet = queue.client.queue("greet");
  await greet.pause({ for: "10m", reason: "deploying" });
  await queue.client.put("greet", { name: "Ada" });
  expect(await greet.counts()).toMatchObject({ paused: true, pausedReason: "deploying" });
  expect((await queue.drain()).performed).toEqual([]);
  await queue.advance("10m");
  expect((await queue.drain()).performed).toHaveLength(1);
  expect((await greet.statistics()).run.count).toBe(1);
});
