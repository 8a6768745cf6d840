import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { FIRST, NEW, putCron } from "../schedules.ts";
import { badName, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("cron.get", (open) => {
  test("tells everything about a schedule", async () => {
    const bench = await open();
    await putCron(bench);
    expect(await bench.json("cron.get", "s")).toEqual(NEW);
  });

  test("tells of the last tick, its child, and how many there were", async () => {
    const bench = await open();
    await putCron(bench, { overlap: "skip" });
    await bench.at(FIRST).call("cron.fire", "s", FIRST, FIRST + 60);
    await bench.call("cron.fire", "s", FIRST + 60, FIRST + 120);
    expect(await bench.json("cron.get", "s")).toEqual({
      ...NEW,
      overlap: "skip",
      next: FIRST + 120,
      last: FIRST,
      last_jid: `s-${FIRST}`,
      runs: 1,
      skipped: 1,
    });
  });

  test("tells nothing of what is no schedule", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60);
    for (const jid of ["a", "r", "none"]) expect(await bench.call("cron.get", jid)).toBe(false);
  });

  test("fires nothing", async () => {
    const bench = await open();
    await putCron(bench);
    bench.at(FIRST + 100);
    await unchanged(bench, () => bench.call("cron.get", "s"));
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await refusesEach(bench, "cron.get", [
      [[], missing("jid")],
      [[""], badName("jid")],
      [["s\n"], badName("jid")],
      [[LONG], badName("jid")],
      [["s", "t"], /^Odd number of additional args/],
    ]);
  });
});
