import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { type BadCall, refusesEach } from "./behaviour.ts";
import { dumped, fill } from "./carrying.ts";

everyEngine("dump", (open) => {
  test("tells a namespace that is empty by nothing but itself", async () => {
    const bench = await open();
    await bench.call("layout");
    expect(await dumped(bench)).toEqual([["", "record", [["layout", "1"]]]]);
  });

  test("tells records and rankings as they are kept", async () => {
    const bench = await open();
    await bench.put("q", "a", { data: '{"é":1.0}', tags: ["x"] });
    const told = new Map((await dumped(bench)).map(([key, , pairs]) => [key, new Map(pairs)]));
    expect(told.get("j:a")!.get("data")).toBe('{"é":1.0}');
    expect(told.get("tags")).toEqual(new Map([["x", "1"]]));
    expect([...told.keys()]).toEqual(
      expect.arrayContaining(["queue:q", "queues", "q:q-work", "t:x"]),
    );
  });

  test("leaves out what belongs to those who are connected", async () => {
    const bench = await open();
    await bench.request("r", "config.set", "heartbeat", 5);
    await bench.call("worker.present", "w", 60, "{}");
    await bench.call("wait", "w", 60, "q");
    const keys = (await dumped(bench)).map(([key]) => key);
    expect(keys.filter((key) => /request|presence|idle/.test(key))).toEqual([]);
    expect(keys).toContain("config");
  });

  test("goes through long rankings and many keys in slices", async () => {
    const bench = await open();
    const words: string[] = [];
    for (let i = 0; i < 1000; i++) words.push("q", `a${i}`, "k", "{}", "0", "0");
    await bench.call("put.many", "w", ...words);
    for (let i = 0; i < 1000; i++) words[i * 6 + 1] = `b${i}`;
    await bench.call("put.many", "w", ...words);
    const told = new Map((await dumped(bench)).map(([key, , pairs]) => [key, pairs]));
    expect(told.get("q:q-work")).toHaveLength(2000);
    expect([...told.keys()].filter((key) => key.startsWith("j:"))).toHaveLength(2000);
  });

  test("gives replies of a bounded size, whatever the size of data", async () => {
    const bench = await open();
    const data = JSON.stringify("x".repeat(600_000));
    for (const jid of ["a", "b", "c", "d", "e"]) await bench.put("q", jid, { data });
    let cursor = "0";
    let most = 0;
    do {
      const reply = (await bench.call("dump", cursor)) as string;
      most = Math.max(most, reply.length);
      cursor = JSON.parse(reply).cursor;
    } while (cursor !== "0");
    expect(most).toBeLessThan(2_000_000);
    expect((await dumped(bench)).filter(([key]) => key.startsWith("j:"))).toHaveLength(5);
  });

  test("refuses cursors that it has not given", async () => {
    const bench = await open();
    await fill(bench);
    const calls: BadCall[] = [
      ["no cursor", [], 'Arg "cursor" missing'],
      ["no JSON", ["x"], "The cursor is not one that dump has given"],
      ["another namespace", ['["other","0"]'], "The cursor is not one that dump has given"],
      [
        "what is not told",
        [JSON.stringify([bench.engine.namespace, "0", "0", "requests"])],
        /^The cursor is not/,
      ],
      [
        "a bad offset",
        [JSON.stringify([bench.engine.namespace, "0", "-1", "tags"])],
        /^The cursor is not/,
      ],
    ];
    await refusesEach(bench, "dump", calls);
  });
});
