import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { badName, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("recur.get", (open) => {
  test("tells everything about a recurring job", async () => {
    const bench = await open();
    const data = '{ "n": 12345678901234567890 }';
    const options = ["priority", -1.5, "tags", '["x","é"]', "retries", 3, "backlog", 4];
    await bench.call("recur", "q", "r", "klass", data, "interval", 60.5, 10, ...options);
    expect(await bench.json("recur.get", "r")).toEqual({
      jid: "r",
      klass: "klass",
      state: "recur",
      queue: "q",
      priority: -1.5,
      interval: 60.5,
      retries: 3,
      count: 0,
      data,
      tags: ["x", "é"],
      backlog: 4,
      next: 1_000_010,
    });
  });

  test("counts the children, and tells when the next is due", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    await bench.later(61).call("tick");
    expect(await bench.json("recur.get", "r")).toMatchObject({ count: 2, next: 1_000_120 });
  });

  test("tells nothing of what does not recur", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.call("recur.get", "none")).toBe(false);
    expect(await bench.call("recur.get", "a")).toBe(false);
  });

  test("makes no children", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    bench.later(100);
    await unchanged(bench, () => bench.call("recur.get", "r"));
    expect((await bench.json("recur.get", "r")).count).toBe(0);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await refusesEach(bench, "recur.get", [
      [[], missing("jid")],
      [[""], badName("jid")],
      [["r\n"], badName("jid")],
      [[LONG], badName("jid")],
      [["r", "s"], /^Odd number of additional args/],
    ]);
  });
});
