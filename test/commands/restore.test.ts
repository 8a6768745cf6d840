import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";
import { type BadCall, contents, refusedInVain, refusesEach, resent } from "./behaviour.ts";
import { dumped, entriesOf, fill, wordsOf } from "./carrying.ts";

everyEngine("restore", (open) => {
  test("brings everything into another namespace, as it was", async () => {
    const bench = await open();
    await fill(bench);
    const other = (await open()).at(bench.now);
    for (const entry of await entriesOf(bench)) {
      expect(await other.call("restore", ...wordsOf(entry))).toBe(1);
    }
    expect(await dumped(other)).toEqual(await dumped(bench));
    expect(await contents(other)).toEqual(await contents(bench));
    expect(await other.problems()).toEqual([]);
    await other.call("timeout", "running");
    expect(jidsOf(await other.pop("q-running", "new", 1))).toEqual(["running"]);
  });

  test("does the same when it is done again, many entries at a time", async () => {
    const bench = await open();
    await fill(bench);
    const entries = await entriesOf(bench);
    const other = (await open()).at(bench.now);
    const words = entries.flatMap(wordsOf);
    expect(await other.call("restore", ...words)).toBe(entries.length);
    expect(await other.call("restore", ...words)).toBe(entries.length);
    expect(await dumped(other)).toEqual(await dumped(bench));
  });

  test("takes the place of a record, and adds to a ranking", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x"] });
    await bench.call("config.set", "heartbeat", 5);
    await bench.call("restore", "config", "record", 2, "grace-period", 7);
    expect(await bench.json("config.get")).toMatchObject({ heartbeat: 60, "grace-period": 7 });
    await bench.call("restore", "tags", "ranking", 2, "x", 1);
    expect(jidsOf(await bench.pop("q", "w", 1))).toEqual(["a"]);
  });

  test("takes effect once under a request id", async () => {
    const bench = await open();
    expect(await resent(bench, "restore", "config", "record", 2, "heartbeat", 5)).toBe(1);
  });

  test("refuses what dump does not tell", async () => {
    const bench = await open();
    await fill(bench);
    const calls: BadCall[] = [
      ["no entries", [], 'Arg "entries" missing'],
      ["no shape", ["tags"], "No  is kept as tags"],
      ["a ranking as a record", ["tags", "record", 2, "a", "b"], "No record is kept as tags"],
      ["requests", ["requests", "ranking", 0], "No ranking is kept as requests"],
      ["presence", ["presence:w", "record", 2, "a", "b"], "No record is kept as presence:w"],
      ["nonsense", ["nonsense", "record", 2, "a", "b"], "No record is kept as nonsense"],
      ["an odd number of words", ["tags", "ranking", 1, "a"], /^An entry is cut short/],
      ["too few words", ["tags", "ranking", 4, "a", 1], /^An entry is cut short/],
      ["no score", ["tags", "ranking", 2, "a", "high"], "Not a score: high"],
      ["no fields", ["j:a", "record", 0], "A record has no fields"],
      ["no name", ["tags", "ranking", 2, "", 1], "A field or a member has no name"],
      [
        "noted times by parts",
        ["s:noted:0:q", "record", 2, "a", "1,"],
        /^Noted times are one field/,
      ],
      ["no noted times", ["s:noted:0:q", "record", 2, "text", ""], /^Noted times are one field/],
      ["a second entry", ["tags", "ranking", 0, "x", "ranking", 0], "No ranking is kept as x"],
    ];
    await refusesEach(bench, "restore", calls);
  });

  test("refuses more entries than a call may have", async () => {
    const bench = await open();
    const words = Array.from({ length: 1001 }, () => ["tags", "ranking", 0]).flat();
    await refusedInVain(bench, ["restore", ...words], "BAD_ARGUMENT", "More than 1000 entries");
  });

  test("refuses entries of another layout", async () => {
    const bench = await open();
    const words = ["", "record", 2, "layout", 2];
    await refusedInVain(bench, ["restore", ...words], "NEWER_LAYOUT", /layout 2, and this is 1/);
  });
});
