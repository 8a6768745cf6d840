import { expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();

/** Gives `a` to `w` at 0 and warns it at 70, so that its grace ends at 80. */
async function warned(...options: (string | number)[]): Promise<void> {
  await legacy.put(0, "q", "a", ...options);
  await legacy.popped(0, "q", "w", ["a"]);
  await legacy.popped(70, "q", "other", []);
}

test("the first pop after the expiry only warns, the next after the grace period takes", async () => {
  await warned();
  const job = await legacy.job(70, "a");
  expect(job).toMatchObject({ state: "running", worker: "w", remaining: 5 });
  expect(job.history.at(-1)).toEqual({ what: "timed-out", when: 70 });
  await legacy.popped(79.9, "q", "other", []);
  const [taken] = await legacy.pop(80, "q", "other");
  expect(taken).toMatchObject({ jid: "a", worker: "other", remaining: 4 });
  expect(taken?.history.map(({ what }) => what)).toEqual(["put", "popped", "timed-out", "popped"]);
});

test("the grace period begins with the warning, however late that comes", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.popped(5000, "q", "other", []);
  await legacy.popped(5009, "q", "other", []);
  await legacy.popped(5010, "q", "other", ["a"]);
});

test("the grace period is a setting", async () => {
  await legacy.call("config.set", 0, "grace-period", 25.5);
  await warned();
  await legacy.popped(95.4, "q", "other", []);
  await legacy.popped(95.5, "q", "other", ["a"]);
});

test("a grace period of zero or less takes the job with the warning", async () => {
  for (const grace of [0, -1]) {
    await legacy.redis.flushall();
    await legacy.call("config.set", 0, "grace-period", grace);
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.popped(60, "q", "other", ["a"]);
    expect((await legacy.job(60, "a")).history.map(({ what }) => what)).toEqual([
      "put",
      "popped",
      "timed-out",
      "popped",
    ]);
  }
});

test("within the grace period the worker can complete the job", async () => {
  await warned();
  expect(await legacy.complete(75, "a", "w", "q")).toBe("complete");
  expect((await legacy.job(75, "a")).remaining).toBe(5);
});

test("within the grace period the worker can fail the job", async () => {
  await warned();
  expect(await legacy.fail(75, "a", "w")).toBe("a");
});

test("within the grace period the worker can retry the job", async () => {
  await warned();
  expect(await legacy.call("retry", 75, "a", "q", "w", 0, "group", "message")).toBe(4);
  expect((await legacy.job(75, "a")).failure).toMatchObject({ group: "group" });
  await legacy.popped(75, "q", "other", ["a"]);
});

test("after the grace period the worker can still complete until somebody pops", async () => {
  await warned();
  expect(await legacy.complete(500, "a", "w", "q")).toBe("complete");
});

test("a heartbeat within the grace period makes the lock good again, and earns a new warning", async () => {
  await warned();
  expect(await legacy.call("heartbeat", 75, "a", "w")).toBe(135);
  await legacy.popped(85, "q", "other", []);
  await legacy.popped(135, "q", "other", []);
  await legacy.popped(144.9, "q", "other", []);
  await legacy.popped(145, "q", "other", ["a"]);
});

test("every lost lock is warned about, not just the first", async () => {
  await legacy.put(0, "q", "a", "retries", 20);
  let [job] = await legacy.pop(0, "q", "w");
  for (let i = 1; i <= 10; i++) {
    const late = job!.expires + 10;
    await legacy.popped(late, "q", "w", []);
    [job] = await legacy.pop(late + 10, "q", "w");
    expect(job).toMatchObject({ jid: "a", remaining: 20 - i });
  }
});

test("a job that was warned about and put again is warned about again", async () => {
  await warned();
  await legacy.put(71, "q", "a");
  await legacy.popped(71, "q", "w", ["a"]);
  await legacy.popped(131, "q", "other", []);
  await legacy.popped(141, "q", "other", ["a"]);
});

test("a negative heartbeat with a grace period is warned about by the next pop", async () => {
  await legacy.call("config.set", 0, "heartbeat", -10);
  await legacy.put(0, "q", "a");
  await legacy.popped(0, "q", "w", ["a"]);
  await legacy.popped(0, "q", "other", []);
  await legacy.popped(30, "q", "other", ["a"]);
  await legacy.refused(legacy.call("heartbeat", 30, "a", "w"), /another worker/);
  expect(await legacy.call("heartbeat", 30, "a", "other")).toBe(20);
});

test("warnings do not use up what a pop may hand out", async () => {
  await warned();
  await legacy.put(71, "q", "b");
  await legacy.put(71, "q", "c");
  await legacy.pop(71, "q", "w", 1);
  await legacy.popped(131, "q", "other", ["a"], 1);
  await legacy.popped(131, "q", "other", ["c"], 1);
});

test("one pop warns about many lost locks, whatever it asks for", async () => {
  for (const jid of ["a", "b", "c"]) await legacy.put(0, "q", jid);
  await legacy.pop(0, "q", "w");
  await legacy.popped(60, "q", "other", [], 1);
  await legacy.popped(70, "q", "other", ["a", "b", "c"]);
});
