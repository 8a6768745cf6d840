import { expect, test } from "vitest";
import { everyEngine, refused } from "../engines.ts";
import { type BadCall, badCalls, bring, contents, refusesEach, STATES } from "./behaviour.ts";

everyEngine("multiget", (open) => {
  test("tells of each job what get tells, in the order asked", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid, { tags: [jid] });
    const jobs = await bench.json("multiget", "c", "a", "b");
    const single = [];
    for (const jid of ["c", "a", "b"]) single.push(await bench.json("get", jid));
    expect(jobs).toEqual(single);
  });

  test("leaves out jobs that do not exist", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b");
    const jobs: { jid: string }[] = await bench.json("multiget", "x", "b", "y", "a", "z");
    expect(jobs.map(({ jid }) => jid)).toEqual(["b", "a"]);
  });

  test("answers an empty array when asked for nothing or for nobody", async () => {
    const bench = await open();
    expect(await bench.call("multiget")).toBe("[]");
    expect(await bench.call("multiget", "nobody")).toBe("[]");
  });

  test("tells of a job as often as it is asked for", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.json("multiget", "a", "a")).toHaveLength(2);
  });

  test.each(STATES)("tells of a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    expect(await bench.json("multiget", "a")).toEqual([await bench.json("get", "a")]);
  });

  test("reports due jobs as waiting and expired locks as stalled, and writes nothing", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("q", "b", { delay: 10 });
    bench.later(60);
    const before = await contents(bench);
    expect(await bench.json("multiget", "a", "b")).toMatchObject([
      { state: "stalled" },
      { state: "waiting" },
    ]);
    expect(await contents(bench)).toEqual(before);
  });

  test("tells of ten thousand jobs in one call, and refuses one more", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const jids = Array.from({ length: 9_999 }, (_, i) => `missing-${i}`);
    expect(await bench.json("multiget", ...jids, "a")).toMatchObject([{ jid: "a" }]);
    const more = bench.call("multiget", ...jids, "a", "b");
    await refused(more, "BAD_ARGUMENT", 'Arg "jids" has more than 10000 members');
  });

  test("refuses arguments that cannot be, wherever they stand", async () => {
    const bench = await open();
    const first = badCalls(["a", "b"], [["jids", "name"]]).slice(1);
    const last = first.map(
      ([title, args, reason]): BadCall => [title, [...args].reverse(), reason],
    );
    await refusesEach(bench, "multiget", [...first, ...last]);
  });
});
