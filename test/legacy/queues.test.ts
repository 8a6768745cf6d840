import { expect, test } from "vitest";
import { type QueueCounts, useLegacy } from "./client.ts";

const legacy = useLegacy();

const none = {
  waiting: 0,
  running: 0,
  stalled: 0,
  scheduled: 0,
  depends: 0,
  recurring: 0,
  paused: false,
};

async function countsAre(now: number, queue: string, some: Partial<QueueCounts>): Promise<void> {
  const expected = { name: queue, ...none, ...some };
  expect(await legacy.counts(now, queue)).toEqual(expected);
  expect(await legacy.json("queues", now)).toEqual([expected]);
}

test("queues is an empty array when no queue was ever used", async () => {
  expect(await legacy.call("queues", 0)).toBe("[]");
});

test("queues gives zeros for a name that is not known, and does not make it known", async () => {
  expect(await legacy.counts(0, "nowhere")).toEqual({ name: "nowhere", ...none });
  expect(await legacy.call("queues", 0)).toBe("[]");
});

test("queues counts waiting jobs", async () => {
  await legacy.put(0, "q", "a");
  await countsAre(0, "q", { waiting: 1 });
});

test("queues counts running jobs", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(1, "q", "w");
  await countsAre(1, "q", { running: 1 });
});

test("queues counts expired locks as stalled, and leaves them as they are", async () => {
  await legacy.put(0, "q", "a");
  const [job] = await legacy.pop(1, "q", "w");
  const late = job!.expires + 10;
  const before = await legacy.contents();
  await countsAre(late, "q", { stalled: 1 });
  await countsAre(late, "q", { stalled: 1 });
  expect(await legacy.contents()).toEqual(before);
});

test("queues counts expired locks as stalled when there is no grace period", async () => {
  await legacy.call("config.set", 0, "grace-period", 0);
  await legacy.put(0, "q", "a");
  const [job] = await legacy.pop(1, "q", "w");
  await countsAre(job!.expires + 10, "q", { stalled: 1 });
});

test("queues counts a lock that was taken with a negative heartbeat as stalled", async () => {
  await legacy.call("config.set", 1000, "heartbeat", -10);
  await legacy.put(1000, "q", "a");
  await legacy.pop(1000, "q", "w");
  await countsAre(1000, "q", { stalled: 1 });
});

test("queues counts a job in its grace period as running", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.popped(61, "q", "other", []);
  await countsAre(62, "q", { running: 1 });
});

test("queues counts scheduled jobs", async () => {
  await legacy.schedule(0, "q", "a", 10);
  await countsAre(0, "q", { scheduled: 1 });
});

test("queues counts a job that is due as waiting, and get says so afterwards", async () => {
  await legacy.schedule(0, "q", "a", 10);
  await countsAre(20, "q", { waiting: 1 });
  expect(await legacy.state(20, "a")).toBe("waiting");
});

test("queues without a name moves what is due in every queue", async () => {
  await legacy.schedule(0, "q", "a", 10);
  await legacy.schedule(1, "p", "b", 10);
  await legacy.json("queues", 20);
  expect([await legacy.state(20, "a"), await legacy.state(20, "b")]).toEqual([
    "waiting",
    "waiting",
  ]);
});

test("queues counts jobs that depend on others", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b", "depends", '["a"]');
  await countsAre(0, "q", { waiting: 1, depends: 1 });
});

test("queues counts recurring jobs, and spawns none of their children", async () => {
  await legacy.recur(0, "q", "a", 60);
  await countsAre(0, "q", { recurring: 1 });
  await countsAre(600, "q", { recurring: 1 });
  expect(await legacy.json("recur.get", 600, "a")).toMatchObject({ count: 0 });
});

test("queues counts recurring jobs whose first child is still to come", async () => {
  await legacy.recur(0, "q", "a", 60, 10);
  await countsAre(0, "q", { recurring: 1 });
});

test("queues counts a job that was timed out as waiting", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.call("timeout", 1, "a");
  await countsAre(1, "q", { waiting: 1 });
});

test("queues counts neither failed nor complete jobs", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b");
  await legacy.pop(0, "q", "w");
  await legacy.fail(1, "a", "w");
  await legacy.complete(1, "b", "w", "q");
  await countsAre(1, "q", {});
});

test("queues lists queues in the order they were first seen", async () => {
  await legacy.put(1, "z", "a");
  await legacy.put(2, "m", "b");
  await legacy.recur(3, "a", "r", 60);
  await legacy.put(4, "z", "c");
  const queues = await legacy.json<QueueCounts[]>("queues", 5);
  expect(queues.map(({ name }) => name)).toEqual(["z", "m", "a"]);
});

test("queues knows the queue that a job advanced to", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.complete(1, "a", "w", "q", "next", "p");
  expect(await legacy.json("queues", 2)).toEqual([
    { name: "q", ...none },
    { name: "p", ...none, waiting: 1 },
  ]);
});

test("queues does not know a queue that was only popped or peeked", async () => {
  await legacy.pop(0, "q", "w");
  await legacy.peek(0, "q");
  expect(await legacy.call("queues", 1)).toBe("[]");
});

test("length counts running, waiting and scheduled jobs, not those that depend", async () => {
  expect(await legacy.call("length", 0, "q")).toBe(0);
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.put(0, "q", "b");
  await legacy.schedule(0, "q", "c", 100);
  await legacy.put(0, "q", "d", "depends", '["a"]');
  await legacy.recur(0, "q", "e", 60);
  expect(await legacy.call("length", 0, "q")).toBe(3);
  expect(await legacy.sizes("q")).toEqual({ work: 1, locks: 1, scheduled: 1, depends: 1 });
});

test("pause stops pop but nothing else", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "p", "b");
  expect(await legacy.call("pause", 0, "q")).toBeNull();
  expect(await legacy.call("pop", 0, "q", "w", 10)).toBe("[]");
  expect(await legacy.counts(0, "q")).toMatchObject({ paused: true, waiting: 1 });
  expect(await legacy.counts(0, "p")).toMatchObject({ paused: false });
  expect(await legacy.peek(0, "q")).toEqual(["a"]);
  await legacy.popped(0, "p", "w", ["b"]);
  await legacy.put(1, "q", "c");
  expect(await legacy.call("unpause", 1, "q")).toBeNull();
  expect(await legacy.counts(1, "q")).toMatchObject({ paused: false, waiting: 2 });
  await legacy.popped(1, "q", "w", ["a", "c"]);
});

test("pause leaves running jobs to their workers", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.call("pause", 0, "q");
  expect(await legacy.call("heartbeat", 1, "a", "w", "{}")).toBe(61);
  expect(await legacy.complete(2, "a", "w", "q")).toBe("complete");
});

test("pause stops warnings, promotions and children as well, as far as pop makes them", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.schedule(0, "q", "b", 10);
  await legacy.recur(0, "q", "r", 60, 5);
  await legacy.call("pause", 0, "q");
  expect(await legacy.hearing(() => legacy.popped(100, "q", "other", []))).toEqual([]);
  expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 1, scheduled: 1, depends: 0 });
  expect(await legacy.complete(100, "a", "w", "q")).toBe("complete");
  await legacy.call("unpause", 100, "q");
  await legacy.popped(100, "q", "other", ["r-1", "b", "r-2"]);
});

test("pause and unpause take several queues, paused or not, known or not", async () => {
  await legacy.call("pause", 0, "q", "p", "q");
  await legacy.call("pause", 1, "p");
  expect(await legacy.counts(1, "p")).toMatchObject({ paused: true });
  await legacy.call("unpause", 2, "q", "p", "never");
  expect(await legacy.counts(2, "q")).toMatchObject({ paused: false });
  expect(await legacy.counts(2, "p")).toMatchObject({ paused: false });
});

test("pause and unpause and queue.forget are refused without a name", async () => {
  for (const command of ["pause", "unpause", "queue.forget"]) {
    await expect(legacy.call(command, 0)).rejects.toThrow();
  }
});

test("queue.forget takes queues off the list until the next put", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(1, "p", "b");
  expect(await legacy.call("queue.forget", 2, "q", "p", "never")).toBeNull();
  expect(await legacy.call("queues", 2)).toBe("[]");
  expect(await legacy.counts(2, "q")).toMatchObject({ waiting: 1 });
  await legacy.put(3, "q", "c");
  expect(await legacy.json("queues", 4)).toEqual([{ name: "q", ...none, waiting: 2 }]);
});
