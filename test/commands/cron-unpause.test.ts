import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { FIRST, putCron } from "../schedules.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";
import { refusedInVain, resent } from "./behaviour.ts";

everyEngine("cron.unpause", (open) => {
  async function paused() {
    const bench = await open();
    await putCron(bench);
    await bench.call("cron.pause", "s");
    return bench;
  }

  test("lets a schedule tick again from where it was", async () => {
    const bench = await paused();
    expect(await bench.at(FIRST + 600).call("cron.unpause", "s")).toBe(1);
    expect((await bench.json("cron.due")).schedules).toMatchObject([
      { jid: "s", next: FIRST, paused: false },
    ]);
    expect(await bench.call("cron.fire", "s", FIRST, FIRST + 60)).toBe(`s-${FIRST}`);
  });

  test("lets it go on at a time that is given", async () => {
    const bench = await paused();
    bench.at(FIRST + 600);
    expect(await bench.call("cron.unpause", "s", "next", FIRST + 660.5)).toBe(1);
    expect((await bench.json("cron.due")).schedules).toEqual([]);
    expect(await bench.json("tick")).toMatchObject({ next: FIRST + 660.5 });
    expect(await bench.json("cron.get", "s")).toMatchObject({ next: FIRST + 660.5 });
  });

  test("changes nothing when the schedule is not paused", async () => {
    const bench = await open();
    await putCron(bench);
    await unchanged(bench, async () => {
      expect(await bench.call("cron.unpause", "s", "next", FIRST + 600)).toBe(0);
    });
  });

  test("is refused for what is no schedule", async () => {
    const bench = await open();
    const reason = "Schedule none does not exist";
    await refusedInVain(bench, ["cron.unpause", "none"], "NO_SUCH_SCHEDULE", reason);
  });

  test("announces the next tick, and answers the same when it is sent again", async () => {
    const bench = await paused();
    expect(await heard(bench, () => bench.call("cron.unpause", "s"))).toEqual([
      ["tick", { event: "tick", at: FIRST }],
    ]);
    await bench.call("cron.pause", "s");
    expect(await resent(bench, "cron.unpause", "s", "next", FIRST)).toBe(1);
  });

  test("refuses bad arguments", async () => {
    const bench = await paused();
    await refusesEach(bench, "cron.unpause", [
      [[], missing("jid")],
      [[""], badName("jid")],
      [[LONG], badName("jid")],
      [["s", "next"], /^Odd number of additional args/],
      [["s", "next", "soon"], 'Arg "next" not a number: soon'],
      [["s", "next", -1], /^Arg "next" must be from 0 to/],
    ]);
  });
});
