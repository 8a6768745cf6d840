import { describe, expect, test } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import { everyEngine, freshNamespace, openEngine, popped, refused } from "../engines.ts";

/** 2026-06-01T00:00:00Z in seconds, and the lease from which the clock goes on then. */
const JUNE = 1_780_272_000;
const JUNE_LEASE = (JUNE - 1_767_225_600) * 250_000;

everyEngine("leases", (open) => {
  test("count from 1 while the clock is before 2026", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    const jobs = [...(await bench.pop("q", "w", 2)), ...(await bench.pop("q", "w"))];
    expect(jobs.map(({ lease }) => lease)).toEqual([1, 2, 3]);
  });

  test("go on from the clock, and never back when the clock is set back", async () => {
    const bench = (await open()).at(JUNE);
    for (const jid of ["a", "b", "c", "d"]) await bench.put("q", jid);
    const [a] = await bench.pop("q", "w");
    expect(a!.lease).toBe(JUNE_LEASE + 1);
    const [b] = await bench.at(JUNE - 3600).pop("q", "w");
    expect(b!.lease).toBe(a!.lease + 1);
    const [c] = await bench.at(JUNE + 3600).pop("q", "w");
    expect(c!.lease).toBe(JUNE_LEASE + 3600 * 250_000 + 1);
    await bench.at(10).call("complete", "b", "w", "q", "{}", "lease", b!.lease);
    const [d] = await bench.pop("q", "w");
    expect(d!.lease).toBe(c!.lease + 1);
  });

  test("are not given again after the count went back", async () => {
    const bench = (await open()).at(JUNE);
    await bench.put("q", "a");
    const [first] = await bench.pop("q", "w");
    await bench.call("timeout", "a");
    await bench.call("restore", "", "record", 4, "layout", "1", "lease", first!.lease - 1);
    const [second] = await bench.later(0.01).pop("q", "w");
    expect(second!.jid).toBe(first!.jid);
    expect(second!.lease).toBeGreaterThan(first!.lease);
    for (const call of [
      ["heartbeat", "a", "w", "", "lease", first!.lease],
      ["complete", "a", "w", "q", "{}", "lease", first!.lease],
      ["fail", "a", "w", "group", "message", "", "lease", first!.lease],
      ["retry", "a", "q", "w", 0, "", "", "lease", first!.lease],
    ] as const) {
      await refused(bench.call(call[0], ...call.slice(1)), "LOCK_LOST");
    }
    const [answer] = (await bench.call(
      "finish",
      "w",
      0,
      "[]",
      "complete",
      "a",
      first!.lease,
      0,
    )) as string[];
    expect(answer).toMatch(/^LOCK_LOST /);
  });

  test("are numbers up to 9007199254740991", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await refused(
      bench.call("complete", "a", "w", "q", "{}", "lease", "9007199254740992"),
      "BAD_ARGUMENT",
      'Arg "lease" must be at most 9007199254740991',
    );
    await refused(
      bench.call("complete", "a", "w", "q", "{}", "lease", "9007199254740991"),
      "LOCK_LOST",
    );
  });
});

describe.each(["sqlite", "functions", "scripts"] as const)("in turns (%s)", (home) => {
  test("two namespaces keep counting, each on its own", async () => {
    const engines = [await openEngine(home), await openEngine(home)];
    const now = JUNE * 1000;
    for (const engine of engines) {
      const jobs = ["a", "b", "c"].flatMap((jid) => ["q", jid, "k", "{}", 0, 0]);
      await engine.call("put.many", ["p", ...jobs], { now });
    }
    const leases: number[][] = [[], []];
    for (let turn = 0; turn < 3; turn++) {
      for (const [i, engine] of engines.entries()) {
        const [job] = popped(await engine.call("pop", ["q", "w", 1], { now: now + turn }));
        leases[i]!.push(job!.lease);
      }
    }
    for (const [first, second, third] of leases) {
      expect(first).toBe(JUNE_LEASE + 1);
      expect(second!).toBeGreaterThan(first!);
      expect(third!).toBeGreaterThan(second!);
    }
    for (const engine of engines) await engine.close();
  });
});

test("an engine does not go on with what another file was given", async () => {
  const namespace = freshNamespace();
  const now = JUNE * 1000;
  const [one, two] = await Promise.all(
    [1, 2].map(() => EmbeddedEngine.open(":memory:", { namespace })),
  );
  const take = async (engine: EmbeddedEngine, at: number) => {
    await engine.call("put", ["p", "q", `j${at}`, "k", "{}", 0], { now: at });
    return popped(await engine.call("pop", ["q", "w", 1], { now: at }))[0]!.lease;
  };
  const first = await take(one!, now);
  // The other file's count is that lease too, but what was given out beyond it here is unknown.
  const entry = ["", "record", 4, "layout", "1", "lease", first];
  await two!.call("restore", entry as (string | number)[], { now });
  expect(await take(two!, now + 500)).toBe(first + 500 * 250);
  await Promise.all([one!.close(), two!.close()]);
});
