import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { FIRST, NEW, putCron } from "../schedules.ts";
import { refusesEach, unchanged } from "../told.ts";

everyEngine("cron.list", (open) => {
  test("tells about all schedules, the first put first", async () => {
    const bench = await open();
    expect(await bench.json("cron.list")).toEqual([]);
    for (const jid of ["s", "é", "a"]) await putCron(bench.later(1), { jid, next: FIRST });
    expect(await bench.json("cron.list")).toEqual([
      NEW,
      { ...NEW, jid: "é" },
      { ...NEW, jid: "a" },
    ]);
  });

  test("has the paused ones too, and keeps the order when one is changed", async () => {
    const bench = await open();
    for (const jid of ["s", "t"]) await putCron(bench.later(1), { jid });
    await bench.call("cron.pause", "t");
    await putCron(bench.later(1), { jid: "s", klass: "other" });
    expect(await bench.json("cron.list")).toMatchObject([
      { jid: "s", paused: false },
      { jid: "t", paused: true },
    ]);
  });

  test("tells a page at a time, of 25 unless told otherwise", async () => {
    const bench = await open();
    const jids = Array.from({ length: 30 }, (_, i) => `s${10 + i}`);
    for (const jid of jids) await putCron(bench, { jid });
    const listed = async (...page: number[]) =>
      (await bench.json("cron.list", ...page)).map(({ jid }: { jid: string }) => jid);
    expect(await listed()).toEqual(jids.slice(0, 25));
    expect(await listed(28)).toEqual(jids.slice(28));
    expect(await listed(3, 2)).toEqual(jids.slice(3, 5));
    expect(await listed(0, 0)).toEqual([]);
    expect(await listed(0, 1000)).toEqual(jids);
  });

  test("writes nothing, and refuses bad arguments", async () => {
    const bench = await open();
    await putCron(bench);
    bench.at(FIRST);
    await unchanged(bench, () => bench.call("cron.list"));
    await refusesEach(bench, "cron.list", [
      [["x"], 'Arg "offset" not a number: x'],
      [[-1], 'Arg "offset" must not be negative: -1'],
      [[0, 1.5], 'Arg "count" not a whole number: 1.5'],
      [[0, 1, 2], /^Odd number of additional args/],
    ]);
  });
});
