import { expect, test } from "vitest";
import { everyEngine, refused } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("recur.untag", (open) => {
  async function recurring() {
    const bench = await open();
    const tags = '["x","y","z"]';
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60, "tags", tags);
    return bench;
  }

  test("removes tags that future children would have, and keeps the order of the others", async () => {
    const bench = await recurring();
    expect(await bench.json("recur.untag", "r", "y", "none")).toEqual(["x", "z"]);
    expect((await bench.json("recur.get", "r")).tags).toEqual(["x", "z"]);
    await bench.later(60).call("tick");
    expect((await bench.json("get", "r-1")).tags).toEqual(["x", "z"]);
  });

  test("leaves present children their tags", async () => {
    const bench = await recurring();
    await bench.later(60).call("tick");
    expect(await bench.json("recur.untag", "r", "x", "y", "z")).toEqual([]);
    expect((await bench.json("get", "r-1")).tags).toEqual(["x", "y", "z"]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["r-1"] });
    await bench.later(60).call("tick");
    expect((await bench.json("get", "r-2")).tags).toEqual([]);
  });

  test("tells the tags there are when none are given", async () => {
    const bench = await recurring();
    await unchanged(bench, async () => {
      expect(await bench.json("recur.untag", "r")).toEqual(["x", "y", "z"]);
    });
  });

  test("announces nothing", async () => {
    const bench = await recurring();
    expect(await heard(bench, () => bench.call("recur.untag", "r", "y"))).toEqual([]);
  });

  test("is refused for what does not recur", async () => {
    const bench = await recurring();
    await bench.put("q", "a", { tags: ["x"] });
    await unchanged(bench, async () => {
      for (const jid of ["none", "a"]) {
        const untag = bench.call("recur.untag", jid, "x");
        await refused(untag, "NO_SUCH_RECURRING", `Recurring job ${jid} does not exist`);
      }
    });
  });

  test("refuses bad arguments", async () => {
    const bench = await recurring();
    await refusesEach(bench, "recur.untag", [
      [[], missing("jid")],
      [["", "y"], badName("jid")],
      [[LONG, "y"], badName("jid")],
      [["r", "y", ""], badName("tags")],
      [["r", "y", "a\nb"], badName("tags")],
    ]);
  });
});
