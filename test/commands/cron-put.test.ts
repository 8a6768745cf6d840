import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { FIRST, NEW, putCron } from "../schedules.ts";
import { heard, unchanged } from "../told.ts";
import { type BadCall, badCalls, refusedInVain, refusesEach, resent } from "./behaviour.ts";

everyEngine("cron.put", (open) => {
  test("defines a schedule, and puts nothing", async () => {
    const bench = await open();
    expect(await putCron(bench)).toBe("s");
    expect(await bench.json("cron.get", "s")).toEqual(NEW);
    expect(await bench.json("queues")).toEqual([]);
    expect(await bench.call("get", "s")).toBe(false);
  });

  test("keeps all that is said of the children and of the ticks", async () => {
    const bench = await open();
    const said = {
      data: '{ "n": 12345678901234567890 }',
      cron: "0 9 * * 1-5",
      zone: "Europe/Lisbon",
      priority: -1.5,
      tags: ["x", "é"],
      retries: 0,
      source: "reports",
      backoff: "fixed 30",
      overlap: "skip",
      missed: "all",
      backlog: 3,
      jitter: 2.5,
      next: 1_000_060.5,
    };
    await putCron(bench, { ...said, tags: ["x", "é", "x"] });
    expect(await bench.json("cron.get", "s")).toEqual({ ...NEW, ...said });
  });

  test("said again, changes nothing and keeps the next tick", async () => {
    const bench = await open();
    const said = { priority: 1, tags: ["x"], retries: 3, backoff: "fixed 1", jitter: 5 };
    await putCron(bench, said);
    await bench.call("cron.fire", "s", FIRST, FIRST + 60);
    bench.later(200);
    await unchanged(bench, () => putCron(bench, { ...said, next: FIRST + 180 }));
    expect(await bench.json("cron.get", "s")).toMatchObject({ next: FIRST + 60, runs: 1 });
  });

  for (const other of [
    { queue: "r" },
    { klass: "other" },
    { data: "" },
    { cron: "@daily" },
    { zone: "Asia/Tokyo" },
    { priority: 1 },
    { tags: ["x"] },
    { retries: 0 },
    { source: "x" },
    { backoff: "fixed 1" },
    { overlap: "skip" },
    { missed: "skip" },
    { backlog: 7 },
    { jitter: 0.001 },
  ]) {
    test(`takes over a new definition and its next tick: ${Object.keys(other)}`, async () => {
      const bench = await open();
      await putCron(bench);
      await bench.call("cron.fire", "s", FIRST, FIRST + 60);
      await putCron(bench, { ...other, next: FIRST + 7 });
      const counted = { last: FIRST, last_jid: `s-${FIRST}`, runs: 1 };
      const changed = { ...NEW, ...counted, next: FIRST + 7 };
      expect(await bench.json("cron.get", "s")).toEqual({ ...changed, ...other });
      await putCron(bench, { next: FIRST + 8 });
      expect(await bench.json("cron.get", "s")).toEqual({ ...changed, next: FIRST + 8 });
      expect((await bench.at(FIRST + 8).json("cron.due")).schedules).toHaveLength(1);
    });
  }

  test("leaves a paused schedule paused", async () => {
    const bench = await open();
    await putCron(bench);
    await bench.call("cron.pause", "s");
    await putCron(bench, { klass: "other", next: FIRST - 30 });
    expect(await bench.json("cron.get", "s")).toMatchObject({ paused: true, next: FIRST - 30 });
    expect((await bench.at(FIRST).json("cron.due")).schedules).toEqual([]);
  });

  test("is refused for the jid of a job or of a recurring job", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60);
    const call = (jid: string): [string, ...(string | number)[]] => [
      ...(["cron.put", jid, "q", "klass", "{}", "* * * * *", "UTC", FIRST] as const),
    ];
    const job = "There is a job a: give the schedule another jid";
    await refusedInVain(bench, call("a") as never, "JID_TAKEN", job);
    const recurring = "There is a recurring job r: unrecur it, or use another jid";
    await refusedInVain(bench, call("r") as never, "JID_TAKEN", recurring);
    await bench.call("unrecur", "r");
    await putCron(bench, { jid: "r" });
  });

  test("is not refused when a job has come by the schedule's jid since", async () => {
    const bench = await open();
    await putCron(bench);
    await bench.put("q", "s");
    expect(await putCron(bench, { klass: "other" })).toBe("s");
    expect((await bench.json("get", "s")).klass).toBe("klass");
  });

  test("keeps recur from using its jid", async () => {
    const bench = await open();
    await putCron(bench);
    const recur = ["recur", "q", "s", "klass", "{}", "interval", 60, 60] as const;
    const taken = "There is a schedule s: drop it, or use another jid";
    await refusedInVain(bench, [...recur], "JID_TAKEN", taken);
    await bench.call("cron.drop", "s");
    expect(await bench.call(...recur)).toBe("s");
  });

  test("announces its first tick if that comes before all others", async () => {
    const bench = await open();
    const first = ["tick", { event: "tick", at: FIRST }];
    expect(await heard(bench, () => putCron(bench))).toEqual([first]);
    expect(await heard(bench, () => putCron(bench))).toEqual([]);
    expect(await heard(bench, () => putCron(bench, { jid: "t", next: FIRST + 1 }))).toEqual([]);
    const sooner = ["tick", { event: "tick", at: FIRST - 1 }];
    expect(await heard(bench, () => putCron(bench, { jid: "u", next: FIRST - 1 }))).toEqual([
      sooner,
    ]);
  });

  test("takes effect once when it is sent again", async () => {
    const bench = await open();
    const words = ["t", "q", "klass", "{}", "* * * * *", "UTC", FIRST];
    expect(await resent(bench, "cron.put", ...words)).toBe("t");
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    const good = ["s", "q", "klass", "{}", "* * * * *", "UTC", FIRST];
    const option = (name: string, value: string | number, reason: string | RegExp): BadCall => [
      `${name} ${value}`,
      [...good, name, value],
      reason,
    ];
    await refusesEach(bench, "cron.put", [
      ...badCalls(good, [
        ["jid", "name"],
        ["queue", "name"],
        ["klass", "name"],
        ["data", "anything"],
        ["cron", "name"],
        ["zone", "name"],
        ["next", "number"],
      ]),
      ["a next before time", [...good.slice(0, 6), -1], /^Arg "next" must be from 0 to/],
      ["a long jid", ["s".repeat(241), ...good.slice(1)], /must leave room .*: 240 bytes$/],
      option("priority", "high", 'Arg "priority" not a number: high'),
      option("tags", "x", 'Arg "tags" not JSON array of texts: x'),
      option("retries", -1, 'Arg "retries" must not be negative: -1'),
      option("source", "", /^Arg "source" must be 1 to 255 bytes/),
      option("backoff", "slow", /^Arg "backoff" must be "fixed 30"/),
      option("overlap", "queue", 'Arg "overlap" must be allow or skip'),
      option("missed", "", 'Arg "missed" must be skip, one or all'),
      option("backlog", 0, 'Arg "backlog" must be from 1 to 1000'),
      option("backlog", 1001, 'Arg "backlog" must be from 1 to 1000'),
      option("jitter", -0.5, 'Arg "jitter" must not be negative'),
      option("depends", "[]", /^Unknown option depends/),
    ]);
    await putCron(bench, { jid: "s".repeat(240), backlog: 1000 });
  });
});
