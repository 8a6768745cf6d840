import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { FIRST, putCron, type Schedule } from "../schedules.ts";
import { heard, unchanged } from "../told.ts";
import { badCalls, bring, refusesEach, resent, STATES } from "./behaviour.ts";

const CHILD = `s-${FIRST}`;
const SECOND = FIRST + 60;

everyEngine("cron.fire", (open) => {
  async function due(schedule: Schedule = {}) {
    const bench = await open();
    await putCron(bench, schedule);
    return bench.at(FIRST);
  }
  const fire = (bench: Bench, ...rest: (string | number)[]) =>
    bench.call("cron.fire", "s", FIRST, SECOND, ...rest);
  const got = (bench: Bench) => bench.json("cron.get", "s");

  test("puts a child that is named after the tick, and moves the schedule on", async () => {
    const bench = await due();
    expect(await fire(bench)).toBe(CHILD);
    const noted = { next: SECOND, last: FIRST, last_jid: CHILD, runs: 1, skipped: 0 };
    expect(await got(bench)).toMatchObject(noted);
    expect((await bench.json("cron.due")).schedules).toEqual([]);
    expect(await bench.json("tick")).toMatchObject({ more: false, next: SECOND });
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual([CHILD]);
  });

  test("makes children that are ordinary jobs and say where they come from", async () => {
    const options = { priority: 3, tags: ["x", "y"], retries: 2, source: "reports" };
    const bench = await due({ data: '{"n":1}', backoff: "fixed 30", ...options });
    await fire(bench.later(5));
    expect(await bench.json("get", CHILD)).toMatchObject({
      jid: CHILD,
      klass: "klass",
      queue: "q",
      state: "waiting",
      data: '{"n":1}',
      ...options,
      remaining: 2,
      backoff: "fixed 30",
      spawned_from_jid: "s",
      history: [{ what: "put", q: "q", when: FIRST + 5 }],
    });
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: [CHILD] });
    const [job] = await bench.pop("q", "w");
    expect(job).toMatchObject({ jid: CHILD, spawned_from_jid: "s", priority: 3, retries: 2 });
    expect(await bench.call("complete", CHILD, "w", "q", "{}")).toBe("complete");
  });

  test("gives children the retries of their queue unless the schedule says", async () => {
    const bench = await due();
    await bench.call("config.set", "q-retries", 7);
    await fire(bench);
    expect(await bench.json("get", CHILD)).toMatchObject({ retries: 7, tags: [], source: null });
  });

  test("fires a tick once, whoever else tries", async () => {
    const bench = await due();
    await fire(bench);
    await unchanged(bench, async () => {
      expect(await fire(bench)).toBe("");
      expect(await bench.call("cron.fire", "s", FIRST, SECOND + 60)).toBe("");
    });
    expect(await bench.call("cron.fire", "s", SECOND, SECOND + 60)).toBe(`s-${SECOND}`);
    expect(await got(bench)).toMatchObject({ runs: 2 });
  });

  test("compares the tick to the millisecond", async () => {
    const bench = await due({ next: FIRST + 0.123 });
    expect(await bench.call("cron.fire", "s", FIRST + 0.122, SECOND)).toBe("");
    expect(await bench.call("cron.fire", "s", FIRST + 0.124, SECOND)).toBe("");
    expect(await bench.call("cron.fire", "s", FIRST + 0.123, SECOND)).toBe(CHILD);
    expect(await got(bench)).toMatchObject({ last: FIRST + 0.123 });
  });

  test("puts nothing for a schedule that is paused or gone", async () => {
    const bench = await due();
    await bench.call("cron.pause", "s");
    await unchanged(bench, async () => {
      expect(await fire(bench)).toBe("");
      expect(await bench.call("cron.fire", "none", FIRST, SECOND)).toBe("");
    });
  });

  test("moves the schedule on without a child when told so", async () => {
    const bench = await due();
    expect(await fire(bench, "put", 0)).toBe("");
    const noted = { next: SECOND, last: null, last_jid: null, runs: 0, skipped: 0 };
    expect(await got(bench)).toMatchObject(noted);
    expect(await bench.json("queues")).toEqual([]);
    expect(await bench.call("cron.fire", "s", SECOND, SECOND + 60, "put", 1)).toBe(`s-${SECOND}`);
  });

  test("lets a child wait for its delay", async () => {
    const bench = await due();
    expect(await fire(bench, "delay", 2.5)).toBe(CHILD);
    const scheduled = { state: "scheduled", scheduled: FIRST + 2.5, spawned_from_jid: "s" };
    expect(await bench.json("get", CHILD)).toMatchObject(scheduled);
    expect(await bench.json("tick")).toMatchObject({ next: FIRST + 2.5 });
    expect(jidsOf(await bench.later(2.5).pop("q", "w"))).toEqual([CHILD]);
  });

  test("takes a delay of less than nothing for none", async () => {
    const bench = await due();
    await fire(bench, "delay", -1);
    expect(await bench.json("get", CHILD)).toMatchObject({ state: "waiting", scheduled: null });
  });

  for (const state of STATES) {
    const over = state === "complete" || state === "failed";
    test(`${over ? "puts another child" : "puts none"} when the last is ${state} and is to be alone`, async () => {
      const bench = await due({ overlap: "skip" });
      // The child's own jid is taken by a job in that state, which counts as the child.
      await bring(bench, state, CHILD, "other");
      expect(await fire(bench)).toBe("");
      const second = await bench.call("cron.fire", "s", SECOND, SECOND + 60);
      expect(second).toBe(over ? `s-${SECOND}` : "");
      const skipped = { next: SECOND + 60, skipped: 1, last: FIRST, last_jid: CHILD };
      expect(await got(bench)).toMatchObject(over ? { runs: 1, skipped: 0 } : skipped);
    });

    test(`puts another child when the last is ${state} and need not be alone`, async () => {
      const bench = await due();
      await bring(bench, state, CHILD, "other");
      await fire(bench);
      expect(await bench.call("cron.fire", "s", SECOND, SECOND + 60)).toBe(`s-${SECOND}`);
    });
  }

  test("puts another child when the last was canceled", async () => {
    const bench = await due({ overlap: "skip" });
    await fire(bench);
    await bench.call("cancel", CHILD);
    expect(await bench.call("cron.fire", "s", SECOND, SECOND + 60)).toBe(`s-${SECOND}`);
  });

  test("puts no child again that is there, and does not count it", async () => {
    const bench = await due();
    await fire(bench);
    await bench.pop("q", "w");
    await bench.call("cron.drop", "s");
    await putCron(bench);
    const before = await bench.json("get", CHILD);
    expect(await fire(bench)).toBe("");
    expect(await bench.json("get", CHILD)).toEqual(before);
    expect(await got(bench)).toMatchObject({ next: SECOND, last_jid: CHILD, runs: 0 });
  });

  test("announces the child, and to its watchers", async () => {
    const bench = await due();
    await bench.put("q", CHILD);
    await bench.call("track", "track", CHILD);
    await bench.call("cancel", CHILD);
    expect(await heard(bench, () => fire(bench))).toEqual([
      ["log", { event: "put", jid: CHILD, queue: "q" }],
      ["put", CHILD],
    ]);
    expect(await bench.json("get", CHILD)).toMatchObject({ tracked: true });
    expect(await heard(bench, () => fire(bench))).toEqual([]);
  });

  test("fires once when it is sent again", async () => {
    const bench = await due();
    expect(await resent(bench, "cron.fire", "s", FIRST, SECOND)).toBe(CHILD);
  });

  test("refuses bad arguments", async () => {
    const bench = await due();
    const good = ["s", FIRST, SECOND];
    const after = 'Arg "next" must be after the tick';
    await refusesEach(bench, "cron.fire", [
      ...badCalls(good, [
        ["jid", "name"],
        ["tick", "number"],
        ["next", "number"],
      ]),
      ["the same tick", ["s", FIRST, FIRST], after],
      ["a tick before", ["s", FIRST, FIRST - 60], after],
      ["a delay", [...good, "delay", "x"], 'Arg "delay" not a number: x'],
      ["a flag", [...good, "put", 2], 'Arg "put" must be 0 or 1'],
      ["an option", [...good, "priority", 2], /^Unknown option priority: it takes delay, put/],
    ]);
  });
});
