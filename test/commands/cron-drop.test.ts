import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { FIRST, NEW, putCron } from "../schedules.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";
import { resent } from "./behaviour.ts";

everyEngine("cron.drop", (open) => {
  test("ends a schedule, and leaves its children", async () => {
    const bench = await open();
    await putCron(bench);
    await bench.at(FIRST).call("cron.fire", "s", FIRST, FIRST + 60);
    expect(await bench.call("cron.drop", "s")).toBe(1);
    expect(await bench.call("cron.get", "s")).toBe(false);
    expect(await bench.json("cron.list")).toEqual([]);
    expect((await bench.later(60).json("cron.due")).schedules).toEqual([]);
    expect(await bench.json("tick")).toMatchObject({ next: null });
    expect(await bench.json("get", `s-${FIRST}`)).toMatchObject({ spawned_from_jid: "s" });
  });

  test("ends a paused schedule, after which it begins anew", async () => {
    const bench = await open();
    await putCron(bench);
    await bench.call("cron.fire", "s", FIRST - 60, FIRST);
    await bench.call("cron.pause", "s");
    await bench.call("cron.drop", "s");
    await putCron(bench);
    expect(await bench.json("cron.get", "s")).toEqual(NEW);
  });

  test("says that there is none, of jobs and recurring jobs too", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60);
    await unchanged(bench, async () => {
      for (const jid of ["a", "r", "none"]) expect(await bench.call("cron.drop", jid)).toBe(0);
    });
  });

  test("announces nothing, and answers the same when it is sent again", async () => {
    const bench = await open();
    await putCron(bench);
    expect(await heard(bench, () => bench.call("cron.drop", "none"))).toEqual([]);
    expect(await resent(bench, "cron.drop", "s")).toBe(1);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await putCron(bench);
    await refusesEach(bench, "cron.drop", [
      [[], missing("jid")],
      [[""], badName("jid")],
      [["s\n"], badName("jid")],
      [[LONG], badName("jid")],
      [["s", "t"], /^Odd number of additional args/],
    ]);
  });
});
