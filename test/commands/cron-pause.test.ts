import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { FIRST, putCron } from "../schedules.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";
import { refusedInVain, resent } from "./behaviour.ts";

everyEngine("cron.pause", (open) => {
  test("stops the ticks of a schedule, which nobody is woken for", async () => {
    const bench = await open();
    await putCron(bench);
    expect(await bench.json("tick")).toMatchObject({ next: FIRST });
    expect(await bench.call("cron.pause", "s")).toBe(1);
    expect(await bench.json("tick")).toMatchObject({ next: null });
    expect((await bench.at(FIRST).json("cron.due")).schedules).toEqual([]);
    expect(await bench.call("cron.fire", "s", FIRST, FIRST + 60)).toBe("");
    expect(await bench.json("cron.get", "s")).toMatchObject({ paused: true, next: FIRST, runs: 0 });
  });

  test("changes nothing when the schedule is paused already", async () => {
    const bench = await open();
    await putCron(bench);
    await bench.call("cron.pause", "s");
    await unchanged(bench, async () => expect(await bench.call("cron.pause", "s")).toBe(0));
  });

  test("is refused for what is no schedule", async () => {
    const bench = await open();
    await bench.put("q", "a");
    for (const jid of ["a", "none"]) {
      const reason = `Schedule ${jid} does not exist`;
      await refusedInVain(bench, ["cron.pause", jid], "NO_SUCH_SCHEDULE", reason);
    }
  });

  test("announces nothing, and answers the same when it is sent again", async () => {
    const bench = await open();
    for (const jid of ["s", "t"]) await putCron(bench, { jid });
    expect(await heard(bench, () => bench.call("cron.pause", "t"))).toEqual([]);
    expect(await resent(bench, "cron.pause", "s")).toBe(1);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await putCron(bench);
    await refusesEach(bench, "cron.pause", [
      [[], missing("jid")],
      [[""], badName("jid")],
      [["s\n"], badName("jid")],
      [[LONG], badName("jid")],
      [["s", "t"], /^Odd number of additional args/],
    ]);
  });
});
