import { expect, test } from "vitest";
import { everyEngine, jidsOf, refused } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("recur.update", (open) => {
  async function recurring(offset = 60) {
    const bench = await open();
    const options = ["priority", 1, "tags", '["x"]', "retries", 2, "backlog", 3];
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, offset, ...options);
    return bench;
  }

  const changes: [option: string, value: string | number, told: unknown][] = [
    ["priority", -2.5, -2.5],
    ["retries", 7, 7],
    ["backlog", 0, 0],
    ["klass", "other", "other"],
    ["data", '{ "a": [] }', '{ "a": [] }'],
  ];
  for (const [option, value, told] of changes) {
    test(`changes the ${option} and nothing else`, async () => {
      const bench = await recurring();
      const before = await bench.json("recur.get", "r");
      expect(await bench.later(5).call("recur.update", "r", option, value)).toBe(1);
      expect(await bench.json("recur.get", "r")).toEqual({ ...before, [option]: told });
    });
  }

  test("changes several things in one call, the later word winning", async () => {
    const bench = await recurring();
    await bench.call("recur.update", "r", "priority", 5, "klass", "new", "priority", 6);
    await bench.later(60).call("tick");
    expect(await bench.json("get", "r-1")).toMatchObject({ priority: 6, klass: "new" });
  });

  test("moves the next child by the difference when the interval changes", async () => {
    const bench = await recurring();
    await bench.call("recur.update", "r", "interval", 90);
    expect(await bench.json("recur.get", "r")).toMatchObject({ interval: 90, next: 1_000_090 });
    await bench.call("recur.update", "r", "interval", 10.5);
    expect(await bench.json("recur.get", "r")).toMatchObject({ interval: 10.5, next: 1_000_010.5 });
    expect(await bench.json("tick")).toMatchObject({ moved: 0, next: 1_000_010.5 });
    expect(jidsOf(await bench.later(21).pop("q", "w", 10))).toEqual(["r-1", "r-2"]);
  });

  test("never moves the next child before the beginning of time", async () => {
    const bench = await open();
    await bench.at(100).call("recur", "q", "r", "klass", "{}", "interval", 10_000, 0);
    await bench.call("recur.update", "r", "interval", 10, "backlog", 1);
    expect((await bench.json("recur.get", "r")).next).toBe(0);
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["r-1"]);
  });

  test("moves the recurring job to another queue, which becomes known", async () => {
    const bench = await recurring();
    await bench.later(1).call("recur.update", "r", "queue", "other");
    expect(await bench.json("queues")).toMatchObject([
      { name: "q", recurring: 0 },
      { name: "other", recurring: 1 },
    ]);
    expect((await bench.json("recur.get", "r")).next).toBe(1_000_060);
    bench.later(60);
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual([]);
    expect(jidsOf(await bench.pop("other", "w", 10))).toEqual(["r-1"]);
  });

  test("lets tick know of a queue that nobody polls", async () => {
    const bench = await recurring();
    await bench.call("recur.update", "r", "queue", "other", "interval", 30);
    expect(await bench.later(30).json("tick")).toMatchObject({ moved: 1, next: 1_000_060 });
    expect(await bench.call("length", "other")).toBe(1);
  });

  test("changes future children and leaves the present ones alone", async () => {
    const bench = await recurring(0);
    await bench.call("tick");
    await bench.call("recur.update", "r", "data", "2", "priority", 9, "retries", 0);
    await bench.later(60).call("tick");
    expect(await bench.json("get", "r-1")).toMatchObject({ data: "{}", priority: 1, retries: 2 });
    expect(await bench.json("get", "r-2")).toMatchObject({ data: "2", priority: 9, retries: 0 });
  });

  test("changes nothing when nothing is said", async () => {
    const bench = await recurring();
    bench.later(5);
    await unchanged(bench, async () => {
      expect(await bench.call("recur.update", "r")).toBe(1);
    });
  });

  test("announces nothing", async () => {
    const bench = await recurring();
    expect(await heard(bench, () => bench.call("recur.update", "r", "priority", 3))).toEqual([]);
  });

  test("is refused for what does not recur", async () => {
    const bench = await recurring();
    await bench.put("q", "a");
    await unchanged(bench, async () => {
      for (const jid of ["none", "a"]) {
        const update = bench.call("recur.update", jid, "priority", 3);
        await refused(update, "NO_SUCH_RECURRING", `Recurring job ${jid} does not exist`);
      }
    });
  });

  test("refuses bad arguments, and then changes none of the others either", async () => {
    const bench = await recurring();
    const good = ["r", "priority", 9, "klass", "new"];
    const greater = 'Arg "interval" must be greater than 0';
    await refusesEach(bench, "recur.update", [
      [[], missing("jid")],
      [["", "priority", 1], badName("jid")],
      [[LONG, "priority", 1], badName("jid")],
      [[...good, "interval"], /^Odd number of additional args/],
      [[...good, "tags", "[]"], /^Unknown option tags: it takes priority, interval/],
      [[...good, "constructor", 1], /^Unknown option constructor/],
      [[...good, "priority", "high"], 'Arg "priority" not a number: high'],
      [[...good, "priority", "0x1"], 'Arg "priority" not a number: 0x1'],
      [[...good, "interval", "often"], 'Arg "interval" not a number: often'],
      [[...good, "interval", 0], greater],
      [[...good, "interval", -5], greater],
      [[...good, "retries", "few"], 'Arg "retries" not a number: few'],
      [[...good, "retries", 1.5], 'Arg "retries" not a whole number: 1.5'],
      [[...good, "retries", -1], 'Arg "retries" must not be negative: -1'],
      [[...good, "backlog", "few"], 'Arg "backlog" not a number: few'],
      [[...good, "backlog", -1], 'Arg "backlog" must not be negative: -1'],
      [[...good, "queue", ""], badName("queue")],
      [[...good, "queue", "a\nb"], badName("queue")],
      [[...good, "klass", ""], badName("klass")],
    ]);
  });
});
