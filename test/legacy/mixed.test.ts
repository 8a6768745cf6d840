import { beforeAll, expect, test } from "vitest";
import { popped } from "../engines.ts";
import { lua, useLegacy } from "./client.ts";

/** Old clients and new ones on one namespace: the legacy script's is `ql`. */

const legacy = useLegacy();
beforeAll(() => legacy.redis.function("LOAD", lua("qless.functions.lua")));

const fcall = (name: string, ...args: (string | number)[]) =>
  legacy.redis.call("FCALL", `qless_${name}`, 1, "ql", ...args);

test("a job put by an old client is worked on by a new one", async () => {
  await legacy.put(0, "q", "a", "tags", '["x"]');
  const [job] = popped((await fcall("pop", 1, "q", "new", 1)) as string[]);
  expect(job?.jid).toBe("a");
  expect(await legacy.job(1, "a")).toMatchObject({ state: "running", worker: "new" });
  await legacy.refused(legacy.complete(1, "a", "old", "q"), /another worker: new$/);
  expect(await fcall("complete", 2, "a", "new", "q", "{}", "lease", job!.lease)).toBe("complete");
  expect(await legacy.call("jobs", 2, "complete")).toEqual(["a"]);
});

test("a job put by a new client is worked on by an old one", async () => {
  await fcall("put", 0, "w", "q", "a", "klass", "{}", 0, "source", "new");
  await legacy.popped(1, "q", "old", ["a"]);
  await expect(fcall("heartbeat", 1, "a", "new")).rejects.toThrow(/^LOCK_LOST/);
  expect(await legacy.call("heartbeat", 1, "a", "old", "{}")).toBe(61);
  expect(await legacy.complete(2, "a", "old", "q")).toBe("complete");
});

test("a lease of an earlier run is refused after an old client had the job", async () => {
  await legacy.put(0, "q", "a");
  const [first] = popped((await fcall("pop", 0, "q", "w", 1)) as string[]);
  await legacy.call("timeout", 1, "a");
  await legacy.popped(1, "q", "w", ["a"]);
  await expect(fcall("complete", 2, "a", "w", "q", "{}", "lease", first!.lease)).rejects.toThrow(
    /^LOCK_LOST/,
  );
  expect(await legacy.complete(2, "a", "w", "q")).toBe("complete");
});

test("what a new client reads is what an old one wrote", async () => {
  await legacy.recur(0, "q", "r", 60, 30);
  await legacy.schedule(0, "q", "a", 10);
  const counts = JSON.parse((await fcall("queues", 20, "q")) as string);
  expect(counts).toMatchObject({ waiting: 1, scheduled: 0, recurring: 1 });
  expect(await legacy.state(20, "a")).toBe("scheduled");
  expect(await legacy.counts(20, "q")).toMatchObject({ waiting: 1, scheduled: 0 });
  expect(await legacy.state(20, "a")).toBe("waiting");
});

test("a recurring job that a new client pauses puts nothing for an old one", async () => {
  await legacy.recur(0, "q", "r", 60, 30);
  const before = await legacy.json("recur.get", 0, "r");
  expect(await fcall("recur_pause", 10, "r")).toBe(1);
  await legacy.popped(100, "q", "old", []);
  expect(await legacy.counts(100, "q")).toMatchObject({ recurring: 1, waiting: 0 });
  expect(await legacy.json("recur.get", 100, "r")).toEqual(before);
  await legacy.recur(100, "q", "r", 60, 0);
  await legacy.popped(100, "q", "old", []);
  expect(await fcall("recur_unpause", 150, "r")).toBe(1);
  await legacy.popped(160, "q", "old", ["r-1"]);
});

test("tick moves things for old clients", async () => {
  await legacy.schedule(0, "q", "a", 10);
  await legacy.put(0, "p", "b");
  await legacy.pop(0, "p", "w");
  await fcall("tick", 60);
  expect(await legacy.state(60, "a")).toBe("waiting");
  expect((await legacy.job(60, "b")).history.at(-1)).toEqual({ what: "timed-out", when: 60 });
});

test("settings are the same for both", async () => {
  await legacy.call("config.set", 0, "heartbeat", 30);
  expect(await fcall("config_get", 0, "heartbeat")).toBe("30");
  await fcall("config_set", 0, "q-max-concurrency", 1);
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b");
  await legacy.popped(0, "q", "w", ["a"]);
});

test("a pause by a new client holds for old ones, which are told no more than they know", async () => {
  await legacy.put(0, "q", "a");
  const before = JSON.parse((await legacy.call("queues", 0, "q")) as string);
  await fcall("queue_pause", 1, "q", "reason", "why", "until", 60);
  await legacy.popped(2, "q", "old", []);
  const paused = JSON.parse((await legacy.call("queues", 2, "q")) as string);
  expect(paused).toEqual({ ...before, paused: true });
  await legacy.popped(60, "q", "old", ["a"]);
});
