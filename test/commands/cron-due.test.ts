import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { FIRST, NEW, putCron } from "../schedules.ts";
import { refusesEach, unchanged } from "../told.ts";

everyEngine("cron.due", (open) => {
  test("tells which schedules have a tick to fire, the longest due first", async () => {
    const bench = await open();
    await putCron(bench, { jid: "t", next: FIRST + 0.001 });
    await putCron(bench);
    await putCron(bench, { jid: "u", next: FIRST + 60 });
    expect((await bench.at(FIRST - 0.001).json("cron.due")).schedules).toEqual([]);
    expect((await bench.at(FIRST).json("cron.due")).schedules).toEqual([NEW]);
    const { schedules: due } = await bench.at(FIRST + 1).json("cron.due");
    expect(due).toEqual([NEW, { ...NEW, jid: "t", next: FIRST + 0.001 }]);
  });

  test("tells when the next tick after those is", async () => {
    const bench = await open();
    expect(await bench.json("cron.due")).toEqual({ now: 1_000_000, schedules: [], next: null });
    await putCron(bench);
    await putCron(bench, { jid: "t", next: FIRST + 0.001 });
    expect((await bench.json("cron.due")).next).toBe(FIRST);
    expect((await bench.at(FIRST).json("cron.due")).next).toBe(FIRST + 0.001);
    expect((await bench.at(FIRST + 1).json("cron.due")).next).toBeNull();
  });

  test("leaves out those that are paused, fired or dropped", async () => {
    const bench = await open();
    for (const jid of ["s", "t", "u", "v"]) await putCron(bench, { jid });
    await bench.at(FIRST).call("cron.pause", "t");
    await bench.call("cron.fire", "u", FIRST, FIRST + 60);
    await bench.call("cron.drop", "v");
    expect((await bench.json("cron.due")).schedules).toMatchObject([{ jid: "s" }]);
  });

  test("tells at most as many as asked for, and never more than a hundred", async () => {
    const bench = await open();
    for (let i = 0; i < 101; i++) await putCron(bench, { jid: `s${100 + i}` });
    bench.at(FIRST);
    expect((await bench.json("cron.due")).schedules).toHaveLength(100);
    expect((await bench.json("cron.due", 5000)).schedules).toHaveLength(100);
    expect((await bench.json("cron.due", 1)).schedules).toMatchObject([{ jid: "s100" }]);
    expect((await bench.json("cron.due", 0)).schedules).toEqual([]);
  });

  test("writes nothing, and refuses bad arguments", async () => {
    const bench = await open();
    await putCron(bench);
    bench.at(FIRST);
    await unchanged(bench, () => bench.call("cron.due"));
    await refusesEach(bench, "cron.due", [
      [["x"], 'Arg "count" not a number: x'],
      [[-1], 'Arg "count" must not be negative: -1'],
      [[1, 2], /^Odd number of additional args/],
    ]);
  });
});
