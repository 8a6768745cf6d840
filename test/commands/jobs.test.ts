import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { missing, refusesEach, unchanged } from "../told.ts";

const some = (count: number, prefix = "j") =>
  Array.from({ length: count }, (_, i) => `${prefix}${String(i).padStart(3, "0")}`);

everyEngine("jobs", (open) => {
  async function complete(bench: Bench, jids: string[]) {
    for (const jid of jids) {
      await bench.put("q", jid);
      await bench.pop("q", "w");
      await bench.later(1).call("complete", jid, "w", "q", "{}");
    }
  }

  test("complete lists completed jobs, the newest first, page by page", async () => {
    const bench = await open();
    await complete(bench, ["b", "c", "a"]);
    expect(await bench.call("jobs", "complete")).toEqual(["a", "c", "b"]);
    expect(await bench.call("jobs", "complete", 1)).toEqual(["c", "b"]);
    expect(await bench.call("jobs", "complete", 1, 1)).toEqual(["c"]);
    expect(await bench.call("jobs", "complete", 3)).toEqual([]);
    expect(await bench.call("jobs", "complete", 0, 0)).toEqual([]);
    expect(await bench.call("jobs", "complete", "", "")).toEqual(["a", "c", "b"]);
    expect(await bench.call("jobs", "complete", 0, -1)).toEqual(["a", "c", "b"]);
  });

  test("running lists live locks, the first to expire first", async () => {
    const bench = await open();
    for (const jid of ["c", "a", "b"]) {
      await bench.put("q", jid);
      await bench.later(1).pop("q", "w");
    }
    await bench.later(1).call("heartbeat", "c", "w");
    expect(await bench.call("jobs", "running", "q")).toEqual(["a", "b", "c"]);
    expect(await bench.call("jobs", "stalled", "q")).toEqual([]);
  });

  test("stalled lists expired locks, and a lock that expires now is stalled", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    await bench.pop("q", "w");
    await bench.later(10).pop("q", "w");
    bench.later(49.999);
    expect(await bench.call("jobs", "running", "q")).toEqual(["a", "b"]);
    expect(await bench.call("jobs", "stalled", "q")).toEqual([]);
    bench.later(0.001);
    expect(await bench.call("jobs", "running", "q")).toEqual(["b"]);
    expect(await bench.call("jobs", "stalled", "q")).toEqual(["a"]);
    bench.later(10);
    expect(await bench.call("jobs", "running", "q")).toEqual([]);
    expect(await bench.call("jobs", "stalled", "q")).toEqual(["a", "b"]);
  });

  test("scheduled lists delayed jobs, the first due first, until they are due", async () => {
    const bench = await open();
    await bench.put("q", "late", { delay: 20 });
    await bench.put("q", "soon", { delay: 10 });
    expect(await bench.call("jobs", "scheduled", "q")).toEqual(["soon", "late"]);
    expect(await bench.call("jobs", "waiting", "q")).toEqual([]);
    bench.later(10);
    expect(await bench.call("jobs", "scheduled", "q")).toEqual(["late"]);
    expect(await bench.call("jobs", "waiting", "q")).toEqual(["soon"]);
  });

  test("depends lists jobs that wait for others, the first put first", async () => {
    const bench = await open();
    await bench.put("other", "before");
    for (const jid of ["b", "a"]) await bench.later(1).put("q", jid, { depends: ["before"] });
    expect(await bench.call("jobs", "depends", "q")).toEqual(["b", "a"]);
    expect(await bench.call("jobs", "depends", "q", 1, 1)).toEqual(["a"]);
  });

  test("recurring lists recurring jobs, the next to have a child first", async () => {
    const bench = await open();
    await bench.call("recur", "q", "late", "klass", "{}", "interval", 60, 20);
    await bench.call("recur", "q", "soon", "klass", "{}", "interval", 60, 10);
    expect(await bench.call("jobs", "recurring", "q")).toEqual(["soon", "late"]);
  });

  test("waiting lists jobs in the order in which they are popped", async () => {
    const bench = await open();
    for (const priority of [3, 1, 2]) await bench.put("q", `p${priority}`, { priority });
    await bench.put("q", "first", { priority: 9 });
    await bench.pop("q", "w", 4);
    await bench.call("timeout", "first");
    for (const priority of [3, 1, 2]) await bench.put("q", `p${priority}`, { priority });
    const listed = await bench.call("jobs", "waiting", "q");
    expect(listed).toEqual(["first", "p1", "p2", "p3"]);
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(listed);
  });

  test("waiting lists the highest priority first where that is the order", async () => {
    const bench = await open();
    await bench.call("config.set", "priority-order", "highest-first");
    for (const jid of ["a1", "b1"]) await bench.put("q", jid, { priority: 1 });
    for (const jid of ["a2", "b2"]) await bench.put("q", jid, { priority: 2 });
    const listed = await bench.call("jobs", "waiting", "q");
    expect(listed).toEqual(["a2", "b2", "a1", "b1"]);
    expect(await bench.call("jobs", "waiting", "q", 1, 2)).toEqual(["b2", "a1"]);
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(listed);
  });

  test("waiting goes on with due jobs that nobody has moved yet, page by page", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    for (const jid of ["c", "d", "e"]) await bench.put("q", jid, { delay: 1 });
    await bench.put("q", "f", { delay: 3 });
    bench.later(2);
    expect(await bench.call("jobs", "waiting", "q")).toEqual(["a", "b", "c", "d", "e"]);
    expect(await bench.call("jobs", "waiting", "q", 1, 2)).toEqual(["b", "c"]);
    expect(await bench.call("jobs", "waiting", "q", 3, 2)).toEqual(["d", "e"]);
    expect(await bench.call("jobs", "waiting", "q", 5, 2)).toEqual([]);
  });

  test("shows 25 unless asked for more, and all for a count of -1", async () => {
    const bench = await open();
    const jids = some(30);
    for (const jid of jids) await bench.put("q", jid);
    expect(await bench.call("jobs", "waiting", "q")).toEqual(jids.slice(0, 25));
    expect(await bench.call("jobs", "waiting", "q", 25)).toEqual(jids.slice(25));
    expect(await bench.call("jobs", "waiting", "q", 0, -1)).toEqual(jids);
    await bench.pop("q", "w", 30);
    expect(await bench.call("jobs", "running", "q")).toHaveLength(25);
    expect(await bench.call("jobs", "running", "q", 0, -1)).toHaveLength(30);
    expect(await bench.call("jobs", "running", "q", 29, 1)).toHaveLength(1);
    expect(await bench.call("jobs", "stalled", "q", 0, -1)).toEqual([]);
  });

  test("lists nothing for a queue that does not exist", async () => {
    const bench = await open();
    for (const state of ["waiting", "running", "stalled", "scheduled", "depends", "recurring"]) {
      expect(await bench.call("jobs", state, "none")).toEqual([]);
    }
    expect(await bench.call("jobs", "complete")).toEqual([]);
  });

  test("moves nothing, however much is due", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.put("q", "b", { delay: 1 });
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    bench.later(100);
    await unchanged(bench, () => bench.call("jobs", "scheduled", "q"));
    expect(await bench.call("jobs", "waiting", "q")).toEqual(["b"]);
    expect((await bench.json("get", "a")).history).toHaveLength(2);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await refusesEach(bench, "jobs", [
      [[], missing("state")],
      [["running"], missing("queue")],
      [["running", ""], missing("queue")],
      [["dreaming"], missing("queue")],
      [["dreaming", "q"], /^Unknown type: must be complete, running/],
      [["constructor", "q"], /^Unknown type/],
      [["failed", "q"], /^Unknown type/],
      [["running", "q\n"], /control characters/],
      [["running", "q", "one"], 'Arg "offset" not a number: one'],
      [["running", "q", -1], 'Arg "offset" must not be negative: -1'],
      [["running", "q", 0.5], 'Arg "offset" not a whole number: 0.5'],
      [["running", "q", 0, "many"], 'Arg "count" not a number: many'],
      [["running", "q", 0, -2], 'Arg "count" must not be negative: -2'],
      [["running", "q", "nan"], 'Arg "offset" not a number: nan'],
      [["waiting", "q", "one"], 'Arg "offset" not a number: one'],
      [["scheduled", "q", 0, "many"], 'Arg "count" not a number: many'],
      [["complete", "one"], 'Arg "offset" not a number: one'],
      [["complete", 0, "many"], 'Arg "count" not a number: many'],
    ]);
  });
});
