import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();

/** Puts a job at 0 and gives it to `w` at 1, so that its lock expires at 61. */
async function running(jid = "a", ...options: (string | number)[]): Promise<void> {
  await legacy.put(0, "q", jid, ...options);
  await legacy.popped(1, "q", "w", [jid]);
}

const noGrace = () => legacy.call("config.set", 0, "grace-period", 0);

test("a lock lasts as long as the heartbeat setting says, and the queue's own wins", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "p", "b");
  await legacy.call("config.set", 0, "heartbeat", 10);
  await legacy.call("config.set", 0, "p-heartbeat", 20);
  expect((await legacy.pop(1.5, "q", "w"))[0]?.expires).toBe(11.5);
  expect((await legacy.pop(1.5, "p", "w"))[0]?.expires).toBe(21.5);
  expect(await legacy.call("heartbeat", 2, "a", "w", "{}")).toBe(12);
  expect(await legacy.call("heartbeat", 2, "b", "w", "{}")).toBe(22);
});

test("a queue's heartbeat may be spelt as the first documents spelt it", async () => {
  await legacy.put(0, "q", "a");
  await legacy.call("config.set", 0, "heartbeat-q", 30);
  expect((await legacy.pop(0, "q", "w"))[0]?.expires).toBe(30);
  await legacy.call("config.set", 0, "q-heartbeat", 40);
  expect(await legacy.call("heartbeat", 0, "a", "w", "{}")).toBe(40);
});

test("a job that is locked is not handed out, to its own worker neither", async () => {
  await running();
  await legacy.popped(2, "q", "w", []);
  await legacy.popped(60.9, "q", "other", []);
});

test("heartbeat extends the lock as often as it is called in time", async () => {
  await running();
  for (let now = 30; now < 600; now += 50) {
    expect(await legacy.call("heartbeat", now, "a", "w", "{}")).toBe(now + 60);
    await legacy.popped(now + 1, "q", "other", []);
  }
  expect(await legacy.state(600, "a")).toBe("running");
});

test("heartbeat renews an expired lock as long as nobody took the job", async () => {
  await noGrace();
  await running();
  expect(await legacy.call("heartbeat", 1000, "a", "w", "{}")).toBe(1060);
  await legacy.popped(1001, "q", "other", []);
});

test("heartbeat stores data only when it is given", async () => {
  await running();
  await legacy.call("heartbeat", 2, "a", "w", '{"n":1}');
  expect((await legacy.job(2, "a")).data).toBe('{"n":1}');
  await legacy.call("heartbeat", 3, "a", "w");
  expect((await legacy.job(3, "a")).data).toBe('{"n":1}');
});

test("heartbeat with a setting that was lowered shortens the lock", async () => {
  await noGrace();
  await running();
  await legacy.call("config.set", 2, "q-heartbeat", -60);
  expect(await legacy.call("heartbeat", 100, "a", "w", "{}")).toBe(40);
  await legacy.popped(100, "q", "other", ["a"]);
});

test("heartbeat with a shorter setting lets go of the job when that is over", async () => {
  await noGrace();
  await running();
  await legacy.call("config.set", 2, "heartbeat", 5);
  expect(await legacy.call("heartbeat", 2, "a", "w", "{}")).toBe(7);
  await legacy.popped(6.9, "q", "other", []);
  await legacy.popped(7, "q", "other", ["a"]);
});

describe("heartbeat is refused", () => {
  test("to a worker that does not hold the job", async () => {
    await running();
    await legacy.refusedWhole(
      () => legacy.call("heartbeat", 2, "a", "other", "{}"),
      /^Heartbeat\(\): Job a .*another worker: w$/,
    );
  });

  test("when the job does not exist", async () => {
    await legacy.refusedWhole(
      () => legacy.call("heartbeat", 2, "a", "w", "{}"),
      "Heartbeat(): Job a does not exist",
    );
  });

  test("in every state but running, and the sentence says which", async () => {
    await legacy.put(0, "q", "waits");
    await legacy.schedule(0, "q", "scheduled", 100);
    await legacy.put(0, "q", "depends", "depends", '["waits"]');
    await legacy.put(0, "p", "failed");
    await legacy.put(0, "p", "complete");
    await legacy.pop(0, "p", "w");
    await legacy.fail(0, "failed", "w");
    await legacy.complete(0, "complete", "w", "p");
    for (const [jid, state] of [
      ["waits", "waiting"],
      ["scheduled", "scheduled"],
      ["depends", "depends"],
      ["failed", "failed"],
      ["complete", "complete"],
    ] as const) {
      await legacy.refusedWhole(
        () => legacy.call("heartbeat", 1, jid, "w", "{}"),
        new RegExp(`^Heartbeat\\(\\): Job ${jid} .*not currently running: ${state}$`),
      );
    }
  });

  test("after the job was moved, retried, failed, timed out or canceled", async () => {
    const ways: [command: string, ...args: (string | number)[]][] = [
      ["put", "other", "p", "a", "klass", "{}", 0],
      ["requeue", "w", "q", "a", "klass", "{}", 0],
      ["retry", "a", "q", "w", 0],
      ["fail", "a", "w", "group", "message"],
      ["timeout", "a"],
      ["complete", "a", "w", "q", "{}", "next", "p"],
    ];
    for (const [command, ...args] of ways) {
      await legacy.redis.flushall();
      await running();
      await legacy.call(command, 2, ...args);
      await legacy.refused(legacy.call("heartbeat", 3, "a", "w"), /not currently running/);
    }
    await legacy.redis.flushall();
    await running();
    await legacy.call("cancel", 2, "a");
    await legacy.refused(legacy.call("heartbeat", 3, "a", "w"), /does not exist/);
  });
});

test("a lost lock goes to whoever pops, when there is no grace period", async () => {
  await noGrace();
  await running();
  const [job] = await legacy.pop(71, "q", "other");
  expect(job).toMatchObject({ jid: "a", worker: "other", expires: 131, remaining: 4, retries: 5 });
  expect(job?.history).toEqual([
    { what: "put", q: "q", when: 0 },
    { what: "popped", worker: "w", when: 1 },
    { what: "timed-out", when: 71 },
    { what: "popped", worker: "other", when: 71 },
  ]);
});

test("a lock is lost at the very moment it expires", async () => {
  await noGrace();
  await running();
  await legacy.popped(60.999, "q", "other", []);
  await legacy.popped(61, "q", "other", ["a"]);
});

test("the worker that lost its lock can do nothing with the job any more", async () => {
  await noGrace();
  await running();
  await legacy.popped(71, "q", "other", ["a"]);
  const attempts: [command: string, ...args: (string | number)[]][] = [
    ["heartbeat", "a", "w", "{}"],
    ["complete", "a", "w", "q", "{}"],
    ["complete", "a", "w", "q", "{}", "next", "p", "delay", 0, "depends", "[]"],
    ["fail", "a", "w", "group", "message", "{}"],
    ["retry", "a", "q", "w", 0],
  ];
  for (const [command, ...args] of attempts) {
    await legacy.refusedWhole(() => legacy.call(command, 72, ...args), /another worker: other$/);
  }
  expect(await legacy.complete(72, "a", "other", "q")).toBe("complete");
});

test("the same worker may get its own lost job again", async () => {
  await noGrace();
  await running();
  await legacy.popped(71, "q", "w", ["a"]);
  expect(await legacy.complete(72, "a", "w", "q")).toBe("complete");
});

test("lost jobs come before waiting ones, whatever their priorities", async () => {
  await noGrace();
  await running("a", "priority", 100);
  await legacy.put(2, "q", "b", "priority", -100);
  await legacy.popped(71, "q", "other", ["a", "b"]);
});

test("a negative heartbeat makes a lock that is lost at once", async () => {
  await noGrace();
  await legacy.call("config.set", 0, "heartbeat", -10);
  await legacy.put(1000, "q", "a");
  await legacy.popped(1000, "q", "w", ["a"]);
  expect((await legacy.job(1000, "a")).expires).toBe(990);
  const [job] = await legacy.pop(1000, "q", "other");
  expect(job).toMatchObject({ jid: "a", worker: "other", remaining: 4 });
});

test("a negative heartbeat works when the time is zero", async () => {
  await noGrace();
  await legacy.call("config.set", 0, "heartbeat", -10);
  await legacy.put(0, "q", "a");
  await legacy.popped(0, "q", "w", ["a"]);
  expect(await legacy.peek(0, "q")).toEqual(["a"]);
  const [job] = await legacy.pop(0, "q", "other");
  expect(job).toMatchObject({ jid: "a", worker: "other", expires: -10, remaining: 4 });
});

test("a lock that expires at zero exactly is lost at zero", async () => {
  await noGrace();
  await legacy.call("config.set", 0, "heartbeat", 0);
  await legacy.put(0, "q", "a");
  await legacy.popped(0, "q", "w", ["a"]);
  await legacy.popped(0, "q", "other", ["a"]);
});
