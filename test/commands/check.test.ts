import { expect, test } from "vitest";
import { type Bench, everyEngine, refused } from "../engines.ts";
import { jobIn, STATES } from "../states.ts";
import { heard, missing, refusesEach, told, unchanged } from "../told.ts";

everyEngine("check", (open) => {
  /** Jobs of every state and kind, with everything that is kept about them. */
  async function furnished(): Promise<Bench> {
    const bench = await open();
    for (const state of STATES) {
      await jobIn(bench, state, { jid: state, queue: `q-${state}`, tags: ["x"], source: "s" });
      await bench.call("track", "track", state);
    }
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0, "tags", '["x"]');
    await bench.call("tick");
    await bench.request("id", "put", "w", "q", "a", "klass", "{}", 0);
    await bench.call("config.set", "q-heartbeat", 10);
    await bench.call("pause", "paused");
    await bench.call("track", "track", "a");
    await bench.call("cancel", "a");
    return bench;
  }

  /** The replies of a whole walk. */
  async function walk(bench: Bench, ...repair: number[]) {
    const replies: { cursor: string; checked: number; problems: unknown[] }[] = [];
    for (let cursor = "0"; replies.length === 0 || cursor !== "0"; ) {
      const reply = await bench.json("check", cursor, ...repair);
      replies.push(reply);
      cursor = reply.cursor;
    }
    return replies;
  }
  const checked = (replies: { checked: number }[]) =>
    replies.reduce((sum, reply) => sum + reply.checked, 0);

  test("finds nothing wrong in an empty namespace", async () => {
    const bench = await open();
    expect(checked(await walk(bench))).toBe(0);
    expect(await bench.problems()).toEqual([]);
  });

  test("finds nothing wrong with jobs of every state and kind", async () => {
    const bench = await furnished();
    const replies = await walk(bench);
    expect(replies.flatMap(({ problems }) => problems)).toEqual([]);
    expect(checked(replies)).toBeGreaterThan(STATES.length);
  });

  test("finds nothing wrong however late it is", async () => {
    const bench = await furnished();
    bench.later(1_000_000);
    expect(await bench.problems()).toEqual([]);
    await bench.call("tick");
    expect(await bench.problems()).toEqual([]);
  });

  test("changes and announces nothing where nothing is wrong, repairing or not", async () => {
    const bench = await furnished();
    const before = await told(bench);
    const events = await heard(bench, async () => {
      await walk(bench);
      await walk(bench, 0);
      await walk(bench, 1);
    });
    expect(events).toEqual([]);
    expect(await told(bench)).toEqual(before);
  });

  test("walks in slices, and sees every job", async () => {
    const bench = await open();
    for (let i = 0; i < 2500; i += 500) {
      const jobs = Array.from({ length: 500 }, (_, j) => ["q", `j${i + j}`, "k", "{}", 0, 2]);
      await bench.call("put.many", "w", ...jobs.flatMap((job) => [...job, "tags", '["x"]']));
    }
    const replies = await walk(bench);
    expect(replies.length).toBeGreaterThan(20);
    expect(Math.max(...replies.map((reply) => reply.checked))).toBeLessThan(1000);
    expect(checked(replies)).toBeGreaterThanOrEqual(2 * 2500);
  });

  test("goes on while jobs come and go", async () => {
    const bench = await open();
    const jobs = Array.from({ length: 500 }, (_, i) => ["q", `j${i}`, "k", "{}", 0, 0]);
    await bench.call("put.many", "w", ...jobs.flat());
    for (let cursor = "0", calls = 0; calls === 0 || cursor !== "0"; calls++) {
      const reply = await bench.json("check", cursor, 1);
      expect(reply.problems).toEqual([]);
      cursor = reply.cursor;
      for (const { jid } of await bench.pop("q", "w", 20)) {
        await bench.call("complete", jid, "w", "q", "{}");
      }
      await bench.put("q", `more${calls}`);
    }
  });

  test("refuses cursors that it has not given", async () => {
    const bench = await furnished();
    const reason = "The cursor is not one that check has given";
    await refusesEach(bench, "check", [
      [[], missing("cursor")],
      [[""], reason],
      [["1"], reason],
      [["next"], reason],
      [["{}"], reason],
      [["[]"], reason],
      [["[0]"], reason],
      [['["0","0"]'], reason],
      [['["not a cursor"]'], reason],
      [['["0","some","key"]'], reason],
    ]);
  });

  test("refuses to go on with the walk of another namespace", async () => {
    const [bench, other] = [await open(), await open()];
    await other.put("q", "a", { tags: ["x"] });
    await bench.put("q", "b", { tags: ["x"] });
    const foreign = `["0","0","${bench.engine.namespace}:tags"]`;
    await unchanged(bench, () => refused(other.call("check", foreign, 1), "BAD_ARGUMENT"));
  });

  test("refuses bad arguments", async () => {
    const bench = await furnished();
    await refusesEach(bench, "check", [
      [["0", "yes"], 'Arg "repair" not a number: yes'],
      [["0", 2], /"repair" must be/],
      [["0", -1], /"repair" must be/],
      [["0", 0.5], /"repair"/],
      [["0", 1, "more"], /^Odd number of additional args/],
    ]);
  });
});
