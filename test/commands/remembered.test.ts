import { expect, test } from "vitest";
import { everyHand } from "../damage.ts";
import type { Bench } from "../engines.ts";

/** What a call remembers of the one before must not be taken for what is so now. */

/** Takes one job, and ends another in the same call. */
async function turnOver(bench: Bench, ended: { jid: string; lease: number }): Promise<unknown[]> {
  const words = ["complete", ended.jid, ended.lease, 0];
  return (await bench.call("finish", "w", 1, '["q"]', ...words)) as unknown[];
}

const stateOf = async (bench: Bench, jid: string) =>
  (await bench.json("get", jid)) as { state: string; worker: string };

everyHand("what is remembered", (open) => {
  test.each([997, 1997, 99_998, 999_998, 12_345_998])(
    "leases count on from %i, each by one",
    async (from) => {
      const { bench, hands } = await open();
      await hands.set("", "lease", `${from}`);
      const jids = Array.from({ length: 8 }, (_, i) => `job-${i}`);
      for (const jid of jids) await bench.put("q", jid);
      const leases: number[] = [];
      for (const _ of jids) leases.push((await bench.pop("q", "w"))[0]!.lease);
      expect(leases).toEqual(jids.map((_, i) => from + i + 1));
      for (const [i, jid] of jids.entries()) {
        expect(await bench.call("complete", jid, "w", "q", "{}", "lease", leases[i]!)).toBe(
          "complete",
        );
      }
    },
  );

  test("a job that was handed out last is not its worker's any more when another has it", async () => {
    const { bench } = await open();
    await bench.put("q", "a");
    const [first] = await bench.pop("q", "w");
    await bench.call("timeout", "a");
    const [second] = await bench.pop("q", "w");
    const [answer] = await turnOver(bench, first!);
    expect(answer).toMatch(/^LOCK_LOST .*under lease 2/);
    expect((await stateOf(bench, "a")).state).toBe("running");
    expect(await turnOver(bench, second!)).toEqual(["complete"]);
  });

  test("nor when it was changed while it runs", async () => {
    const { bench } = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    const [job] = await bench.pop("q", "w");
    await bench.call("track", "track", "a");
    await bench.call("put", "w", "q", "c", "klass", "{}", 0, "depends", '["a"]');
    expect((await turnOver(bench, job!))[0]).toBe("complete");
    // Whoever waited for it is let go, which the state that was handed out does not tell.
    expect((await stateOf(bench, "c")).state).toBe("waiting");
    expect(await bench.problems()).toEqual([]);
  });

  test("nor is a job of that name in another queue, put again under the same lease", async () => {
    const { bench, hands } = await open();
    await bench.put("q", "a");
    const [job] = await bench.pop("q", "w");
    await bench.call("cancel", "a");
    await hands.set("", "lease", "0");
    await bench.put("other", "a");
    const [again] = await bench.pop("other", "w");
    expect(again!.lease).toBe(job!.lease);
    await bench.put("q", "b");
    expect((await turnOver(bench, again!))[0]).toBe("complete");
    expect(await bench.problems()).toEqual([]);
    expect(await bench.call("length", "other")).toBe(0);
  });

  test("words that were said before are read again where one of them is another", async () => {
    const { bench } = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.put("other", "d");
    const [a] = await bench.pop("q", "w");
    const [, b] = (await turnOver(bench, a!)) as [string, string];
    const lease = Number(b.split("\t")[3]);
    const bad = bench.call("finish", "w", "x", '["q"]', "complete", "b", lease, 0);
    await expect(bad).rejects.toThrow(/count/);
    const elsewhere = ["complete", "b", lease, 0];
    const [, d] = (await bench.call("finish", "w", 1, '["other"]', ...elsewhere)) as string[];
    expect(d).toMatch(/^d\t/);
    await expect(bench.call("finish", "w", 1)).rejects.toThrow(/queues/);
  });
});
