import { expect, test } from "vitest";
import { everyEngine, refused } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("recur.tag", (open) => {
  async function recurring() {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60, "tags", '["x"]');
    return bench;
  }

  test("adds tags that future children have, once each, in their order", async () => {
    const bench = await recurring();
    expect(await bench.json("recur.tag", "r", "z", "y", "z", "x")).toEqual(["x", "z", "y"]);
    expect((await bench.json("recur.get", "r")).tags).toEqual(["x", "z", "y"]);
    await bench.later(60).call("tick");
    expect((await bench.json("get", "r-1")).tags).toEqual(["x", "z", "y"]);
    expect(await bench.json("tag", "get", "z")).toEqual({ total: 1, jobs: ["r-1"] });
  });

  test("leaves present children and the index of tags alone", async () => {
    const bench = await recurring();
    await bench.later(60).call("tick");
    await bench.call("recur.tag", "r", "y");
    expect((await bench.json("get", "r-1")).tags).toEqual(["x"]);
    expect(await bench.json("tag", "get", "y")).toEqual({ total: 0, jobs: [] });
  });

  test("tells the tags there are when none are given", async () => {
    const bench = await recurring();
    await unchanged(bench, async () => {
      expect(await bench.json("recur.tag", "r")).toEqual(["x"]);
    });
  });

  test("announces nothing", async () => {
    const bench = await recurring();
    expect(await heard(bench, () => bench.call("recur.tag", "r", "y"))).toEqual([]);
  });

  test("is refused for what does not recur", async () => {
    const bench = await recurring();
    await bench.put("q", "a");
    await unchanged(bench, async () => {
      for (const jid of ["none", "a"]) {
        const tag = bench.call("recur.tag", jid, "y");
        await refused(tag, "NO_SUCH_RECURRING", `Recurring job ${jid} does not exist`);
      }
    });
  });

  test("refuses bad arguments", async () => {
    const bench = await recurring();
    await refusesEach(bench, "recur.tag", [
      [[], missing("jid")],
      [["", "y"], badName("jid")],
      [[LONG, "y"], badName("jid")],
      [["r", "y", ""], badName("tags")],
      [["r", "y", "a\nb"], badName("tags")],
      [["r", "y", LONG], badName("tags")],
    ]);
  });
});
