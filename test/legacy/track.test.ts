import { expect, test } from "vitest";
import { jidsOf, type LegacyJob, useLegacy } from "./client.ts";

const legacy = useLegacy();
const tracked = (now = 0) => legacy.json<{ jobs: LegacyJob[]; expired: string[] }>("track", now);

test("track puts a job on the list, untrack takes it off", async () => {
  await legacy.put(0, "q", "a");
  expect(await legacy.call("track", 0, "track", "a")).toBe("1");
  expect((await legacy.job(0, "a")).tracked).toBe(true);
  expect(jidsOf((await tracked()).jobs)).toEqual(["a"]);
  expect(await legacy.call("track", 0, "untrack", "a")).toBe("1");
  expect((await legacy.job(0, "a")).tracked).toBe(false);
  expect(await tracked()).toEqual({ jobs: [], expired: [] });
});

test("track lists the first tracked first", async () => {
  for (const jid of ["a", "b", "c"]) await legacy.put(0, "q", jid);
  await legacy.call("track", 1, "track", "b");
  await legacy.call("track", 2, "track", "c");
  await legacy.call("track", 3, "track", "a");
  expect(jidsOf((await tracked(3)).jobs)).toEqual(["b", "c", "a"]);
});

test("track minds no case", async () => {
  await legacy.put(0, "q", "a");
  expect(await legacy.call("track", 0, "TRACK", "a")).toBe("1");
  expect(await legacy.call("track", 0, "Untrack", "a")).toBe("1");
});

test("a job is tracked through all it does", async () => {
  await legacy.put(0, "q", "a");
  await legacy.call("track", 0, "track", "a");
  const [peeked] = await legacy.json<LegacyJob[]>("peek", 0, "q", 1);
  expect(peeked?.tracked).toBe(true);
  const [popped] = await legacy.pop(0, "q", "w");
  expect(popped?.tracked).toBe(true);
  await legacy.fail(0, "a", "w");
  expect((await legacy.json<LegacyJob[]>("multiget", 0, "a"))[0]?.tracked).toBe(true);
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  await legacy.complete(0, "a", "w", "q");
  expect((await legacy.job(0, "a")).tracked).toBe(true);
  expect((await tracked()).jobs[0]?.state).toBe("complete");
});

test("a job that was canceled is listed as expired, and can be untracked", async () => {
  await legacy.put(0, "q", "a");
  await legacy.call("track", 0, "track", "a");
  await legacy.call("cancel", 0, "a");
  expect(await tracked()).toEqual({ jobs: [], expired: ["a"] });
  expect(await legacy.call("track", 0, "untrack", "a")).toBe("1");
  expect(await tracked()).toEqual({ jobs: [], expired: [] });
});

test("a canceled job that is put again is still tracked", async () => {
  await legacy.put(0, "q", "a");
  await legacy.call("track", 0, "track", "a");
  await legacy.call("cancel", 0, "a");
  await legacy.put(1, "q", "a");
  expect((await legacy.job(1, "a")).tracked).toBe(true);
  expect(jidsOf((await tracked(1)).jobs)).toEqual(["a"]);
});

test("track is refused for jobs that do not exist, without a jid, and for other actions", async () => {
  await legacy.refusedWhole(
    () => legacy.call("track", 0, "track", "a"),
    /^Track\(\): Job .*does not exist/,
  );
  await legacy.put(0, "q", "a");
  await legacy.refusedWhole(
    () => legacy.call("track", 0, "track"),
    /^Track\(\): Arg "jid" missing/,
  );
  await legacy.refusedWhole(
    () => legacy.call("track", 0, "untrack"),
    /^Track\(\): Arg "jid" missing/,
  );
  await legacy.refusedWhole(
    () => legacy.call("track", 0, "foo", "a"),
    /^Track\(\): Unknown action/,
  );
  await expect(legacy.call("track", 0, "foo")).rejects.toThrow(/Track\(\): /);
});
