import { expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();
const limit = (count: number, now = 0) =>
  legacy.call("config.set", now, "q-max-concurrency", count);

async function waiting(count: number): Promise<string[]> {
  const all = jids(count);
  for (const jid of all) await legacy.put(0, "q", jid);
  return all;
}

test("max-concurrency limits how many jobs of a queue run", async () => {
  await limit(5);
  const all = await waiting(10);
  await legacy.popped(1, "q", "w", all.slice(0, 5));
  await legacy.popped(1, "q", "other", []);
  for (let i = 0; i < 5; i++) {
    await legacy.complete(1, all[i]!, "w", "q");
    await legacy.popped(1, "q", "w", [all[5 + i]!]);
  }
});

test("max-concurrency concerns only its queue", async () => {
  await limit(1);
  await waiting(2);
  await legacy.put(0, "p", "x");
  await legacy.put(0, "p", "y");
  await legacy.popped(0, "q", "w", ["j0000"]);
  await legacy.popped(0, "p", "w", ["x", "y"]);
});

test("max-concurrency can be lowered, and then stops nothing that runs", async () => {
  const all = await waiting(30);
  await legacy.pop(1, "q", "w", 10);
  await limit(5, 1);
  for (let i = 0; i < 6; i++) {
    await legacy.popped(1, "q", "w", []);
    expect(await legacy.complete(1, all[i]!, "w", "q")).toBe("complete");
  }
  await legacy.popped(1, "q", "w", [all[10]!]);
});

test("max-concurrency can be raised or taken off", async () => {
  const all = await waiting(5);
  await limit(1);
  await legacy.popped(0, "q", "w", [all[0]!]);
  await limit(2);
  await legacy.popped(0, "q", "w", [all[1]!]);
  await legacy.call("config.unset", 0, "q-max-concurrency");
  await legacy.popped(0, "q", "w", all.slice(2));
});

test("max-concurrency of zero is no limit", async () => {
  await limit(0);
  await legacy.popped(0, "q", "w", await waiting(5));
});

test("a lost lock makes room for its job to be handed out again", async () => {
  await legacy.call("config.set", 0, "grace-period", 0);
  await limit(1);
  await waiting(2);
  await legacy.popped(0, "q", "w", ["j0000"]);
  const [job] = await legacy.pop(70, "q", "other");
  expect(job).toMatchObject({ jid: "j0000", worker: "other", remaining: 4 });
  await legacy.popped(70, "q", "other", []);
});

test("a lost lock is given out again at the very moment it expires", async () => {
  await legacy.call("config.set", 0, "grace-period", 0);
  await limit(1);
  await waiting(1);
  await legacy.popped(0, "q", "w", ["j0000"]);
  await legacy.popped(60, "q", "other", ["j0000"]);
});

test("a job in its grace period takes up room", async () => {
  await limit(1);
  await waiting(2);
  await legacy.popped(0, "q", "w", ["j0000"]);
  await legacy.popped(70, "q", "other", []);
  await legacy.popped(75, "q", "other", []);
  await legacy.popped(80, "q", "other", ["j0000"]);
});

test("failing, retrying, timing out, moving and canceling make room", async () => {
  const ways: [command: string, ...args: (string | number)[]][] = [
    ["fail", "j0000", "w", "group", "message"],
    ["retry", "j0000", "q", "w", 60],
    ["put", "w", "p", "j0000", "klass", "{}", 0],
    ["cancel", "j0000"],
    ["complete", "j0000", "w", "q", "{}", "next", "p"],
  ];
  for (const [command, ...args] of ways) {
    await legacy.redis.flushall();
    await limit(1);
    await waiting(2);
    await legacy.popped(0, "q", "w", ["j0000"]);
    await legacy.call(command, 1, ...args);
    await legacy.popped(2, "q", "w", ["j0001"]);
  }
});

test("exhausted retries make room for another job", async () => {
  await legacy.call("config.set", 0, "grace-period", 0);
  await limit(1);
  await legacy.put(0, "q", "a", "retries", 0);
  await legacy.put(1, "q", "b");
  await legacy.popped(1, "q", "w", ["a"]);
  await legacy.popped(70, "q", "w", ["b"]);
  expect(await legacy.state(70, "a")).toBe("failed");
});

test("two workers together stay within the limit", async () => {
  await limit(2);
  await waiting(4);
  await legacy.popped(0, "q", "w", ["j0000"], 1);
  await legacy.popped(0, "q", "other", ["j0001"], 1);
  await legacy.popped(0, "q", "w", [], 1);
  await legacy.popped(0, "q", "other", [], 1);
  expect(await legacy.counts(0, "q")).toMatchObject({ running: 2, waiting: 2 });
});
