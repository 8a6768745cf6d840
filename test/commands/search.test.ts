import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { type BadCall, badCalls, bring, refusesEach, STATES } from "./behaviour.ts";
import { everywhere, find, found, searchAll } from "./searching.ts";

everyEngine("search", (open) => {
  test("finds nothing where there is nothing", async () => {
    const bench = await open();
    const nothing = { jids: [], cursor: "", looked: 0 };
    expect(await find(bench)).toEqual(nothing);
    for (const state of STATES) expect(await find(bench, { state })).toEqual(nothing);
    expect(await find(bench, { queue: "q", tag: "x", source: "s", group: "g" })).toEqual(nothing);
  });

  test("finds jobs of every state when nothing is asked of them", async () => {
    const bench = await open();
    const jids = await everywhere(bench);
    expect((await found(bench)).toSorted()).toEqual(jids.toSorted());
  });

  test.each([
    ["waiting", ["taken-away", "waiting"]],
    ["running", ["running"]],
    ["stalled", ["expired"]],
    ["scheduled", ["scheduled"]],
    ["depends", ["depends"]],
    ["failed", ["failed"]],
    ["complete", ["complete"]],
  ])("finds jobs that are %s", async (state, jids) => {
    const bench = await open();
    await everywhere(bench);
    expect((await found(bench, { state })).toSorted()).toEqual(jids);
    expect((await found(bench, { state, queue: "q" })).toSorted()).toEqual(jids);
    expect((await found(bench, { state, tag: "all" })).toSorted()).toEqual(jids);
    expect(await found(bench, { state, queue: "elsewhere" })).toEqual([]);
  });

  test("sees a job that is due as waiting before anybody has moved it", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 10, tags: ["x"] });
    expect(await found(bench, { state: "scheduled" })).toEqual(["a"]);
    bench.later(10);
    expect(await found(bench, { state: "scheduled" })).toEqual([]);
    expect(await found(bench, { state: "waiting" })).toEqual(["a"]);
    expect(await found(bench, { state: "waiting", tag: "x" })).toEqual(["a"]);
  });

  test.each([
    [{ queue: "r" }, ["b"]],
    [{ klass: "special" }, ["a", "c"]],
    [{ tag: "x" }, ["a", "b"]],
    [{ source: "s" }, ["b", "c"]],
    [{ jid: "b" }, ["b"]],
    [{ tag: "x", source: "s" }, ["b"]],
    [{ klass: "special", source: "s" }, ["c"]],
    [{ tag: "x", klass: "special", queue: "q", jid: "a" }, ["a"]],
    [{ tag: "x", queue: "r", klass: "special" }, []],
    [{ tag: "none" }, []],
  ])("finds the jobs of which all of %j holds", async (criteria, jids) => {
    const bench = await open();
    await bench.put("q", "a", { klass: "special", tags: ["x", "y"] });
    await bench.put("r", "b", { tags: ["x"], source: "s" });
    await bench.put("q", "c", { klass: "special", source: "s" });
    await bench.put("q", "d", { tags: ["y"] });
    expect((await found(bench, criteria)).toSorted()).toEqual(jids);
  });

  test.each([
    ["mail.*", ["a", "b", "star"]],
    ["mail.send*", ["a"]],
    ["*", ["a", "b", "c", "d", "star"]],
    ["mail.%*", []],
    ["m.*", []],
    ["*.send", []],
    ["é*", ["d"]],
    ["mail.*x", ["star"]],
    ["mail", []],
  ])("takes %s for every klass that begins so, if the star is at its end", async (klass, jids) => {
    const bench = await open();
    const klasses = { a: "mail.send", b: "mail.", c: "Mail.send", d: "été", star: "mail.*x" };
    for (const [jid, own] of Object.entries(klasses)) {
      await bench.put("q", jid, { klass: own, tags: ["x"] });
    }
    for (const index of [{}, { tag: "x" }, { queue: "q", state: "waiting" }]) {
      expect((await found(bench, { klass, ...index })).toSorted()).toEqual(jids);
    }
  });

  test("goes on behind a cursor by the same beginning of a klass only", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid, { klass: `k.${jid}` });
    const first = await find(bench, { klass: "k.*" }, "0", 2);
    expect((await find(bench, { klass: "k.*" }, first.cursor, 2)).jids).toEqual(["a"]);
    const rule = "The cursor belongs to other criteria: begin with the cursor 0";
    await refusesEach(bench, "search", [["k.", [first.cursor, 2, "klass", "k."], rule]]);
  });

  test("finds failed jobs by their group, and no others that failed before", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bring(bench, "failed", jid, `q-${jid}`);
    await bench.call("move", "", "b");
    expect(await found(bench, { group: "group" })).toEqual(["c", "a"]);
    expect(await found(bench, { group: "group", queue: "q-a" })).toEqual(["a"]);
    expect(await found(bench, { group: "group", state: "waiting" })).toEqual([]);
    expect(await found(bench, { group: "other" })).toEqual([]);
  });

  test("finds failed jobs of all groups, and completed ones by their last queue", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) {
      await bench.put("q", jid);
      await bench.pop("q", "w");
      await bench.call("fail", jid, "w", `group-${jid}`, "message");
    }
    expect((await found(bench, { state: "failed" })).toSorted()).toEqual(["a", "b", "c"]);
    await bring(bench, "complete", "d", "r");
    expect(await found(bench, { queue: "r" })).toEqual(["d"]);
    expect(await found(bench, { state: "complete", queue: "q" })).toEqual([]);
  });

  test("compares parts of jids with their case", async () => {
    const bench = await open();
    for (const jid of ["order-1", "Order-2", "é%_*[", "x"]) await bench.put("q", jid);
    expect(await found(bench, { jid: "order" })).toEqual(["order-1"]);
    expect(await found(bench, { jid: "rder-" })).toEqual(["Order-2", "order-1"]);
    expect(await found(bench, { jid: "%_*[" })).toEqual(["é%_*["]);
    expect(await found(bench, { jid: ".*" })).toEqual([]);
  });

  test.each([
    ["waiting", 0],
    ["running", 0],
    ["depends", 0],
    ["failed", 0],
    ["complete", 0],
    ["scheduled", 100],
    ["stalled", 60],
  ] as const)("compares when a job that is %s came to be so", async (state, later) => {
    const bench = await open();
    await bring(bench, state === "stalled" ? "running" : state);
    await bench.call("tag", "add", "a", "x");
    const since = bench.now + later;
    if (state === "stalled") bench.later(80);
    for (const index of [{}, { tag: "x" }, { queue: "q" }]) {
      const criteria = { state, ...index };
      expect(await found(bench, { ...criteria, from: since, to: since })).toEqual(["a"]);
      expect(await found(bench, { ...criteria, from: since + 0.001 })).toEqual([]);
      expect(await found(bench, { ...criteria, to: since - 0.001 })).toEqual([]);
    }
    expect(await found(bench, { jid: "a", from: since, to: since })).toContain("a");
  });

  test("gives the newest of a ranking first, or the oldest", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bring(bench.later(1), "complete", jid);
    expect(await found(bench, { state: "complete" })).toEqual(["c", "b", "a"]);
    expect(await found(bench, { state: "complete", order: "newest" })).toEqual(["c", "b", "a"]);
    expect(await found(bench, { state: "complete", order: "oldest" })).toEqual(["a", "b", "c"]);
  });

  test("gives waiting jobs in the order of pop as the oldest first", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { priority: -1 });
    await bench.put("q", "c");
    await bench.put("q", "due", { delay: 1 });
    bench.later(1);
    const oldest = { state: "waiting", queue: "q", order: "oldest" };
    expect(await found(bench, oldest)).toEqual(["due", "b", "a", "c"]);
    expect(await found(bench, { ...oldest, order: "newest" })).toEqual(["due", "c", "a", "b"]);
  });

  test("gives running jobs by the end of their locks, whatever the order", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bring(bench.later(1), "running", jid);
    for (const order of ["oldest", "newest"]) {
      expect(await found(bench, { state: "running", order })).toEqual(["a", "b"]);
    }
  });

  test("goes through the queues as they were first seen, and leaves out forgotten ones", async () => {
    const bench = await open();
    for (const queue of ["z", "a", "m"]) await bench.later(1).put(queue, `of-${queue}`);
    expect(await found(bench)).toEqual(["of-z", "of-a", "of-m"]);
    await bench.call("queue.forget", "a");
    expect(await found(bench)).toEqual(["of-z", "of-m"]);
    expect(await found(bench, { queue: "a" })).toEqual(["of-a"]);
  });

  test("looks at no more than a thousand jobs in a call, and tells how many", async () => {
    const bench = await open();
    const jobs = Array.from({ length: 500 }, (_, i) => ["q", `j${i}`, "k", "{}", 0, 0]);
    for (const round of [0, 1, 2]) {
      const named = jobs.map(([queue, jid, ...rest]) => [queue!, `${jid}-${round}`, ...rest]);
      await bench.call("put.many", "w", ...named.flat());
    }
    await bench.put("q", "wanted", { priority: 1 });
    const first = await find(bench, { jid: "wanted", order: "oldest" }, "0", 10_000);
    expect(first).toMatchObject({ jids: [] });
    expect(first.looked).toBeGreaterThan(990);
    expect(first.looked).toBeLessThanOrEqual(1000);
    const second = await find(bench, { jid: "wanted", order: "oldest" }, first.cursor, 10_000);
    expect(second).toMatchObject({ jids: ["wanted"], cursor: "" });
    expect(first.looked + second.looked).toBe(1501);
  });

  test("ends after a bounded number of calls when thousands of queues are empty", async () => {
    const bench = await open();
    const queues = Array.from({ length: 600 }, (_, i) => `q${i}`);
    const words = queues.flatMap((queue) => [queue, queue, "k", "{}", 0, 0]);
    await bench.call("put.many", "w", ...words);
    for (let i = 0; i < queues.length; i += 100) {
      await bench.call("cancel", ...queues.slice(i, i + 100));
    }
    await bench.later(1).put("last", "a");
    const first = await find(bench);
    expect(first).toMatchObject({ jids: [], looked: 0 });
    expect(first.cursor).not.toBe("");
    expect((await searchAll(bench, {}, 5)).jids).toEqual(["a"]);
  });

  test("begins with an empty cursor as with 0, and ends with an empty one", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    const first = await find(bench, { state: "waiting" }, "", 2);
    expect(first).toMatchObject({ jids: ["c", "b"], looked: 2 });
    const second = await find(bench, { state: "waiting" }, first.cursor, 2);
    expect(second).toEqual({ jids: ["a"], cursor: "", looked: 1 });
  });

  test("refuses a cursor with other criteria", async () => {
    const bench = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid, { tags: ["x"] });
    const { cursor } = await find(bench, { queue: "q", order: "oldest" }, "0", 1);
    const rule = "The cursor belongs to other criteria: begin with the cursor 0";
    const calls = [[], ["queue", "r"], ["queue", "q"], ["queue", "q", "order", "oldest", "to", 9]];
    await refusesEach(
      bench,
      "search",
      calls.map((words): BadCall => [words.join(" "), [cursor, 1, ...words], rule]),
    );
  });

  const BAD: BadCall[] = [
    ...badCalls(["0", 1], [["cursor", "anything"]]),
    ...badCalls(
      ["0", 1],
      [
        ["cursor", "anything"],
        ["count", "count"],
      ],
    ).slice(1),
    ["no jobs wanted", ["0", 0], 'Arg "count" must be at least 1'],
    [
      "a state that is none",
      ["0", 1, "state", "recurring"],
      /^Arg "state" must be waiting, running, stalled, scheduled, depends, complete, failed, not rec/,
    ],
    ["an order that is none", ["0", 1, "order", "up"], /^Arg "order" must be newest, oldest, not/],
    ["an empty queue", ["0", 1, "queue", ""], /^Arg "queue" must be 1 to 255 bytes/],
    ["an empty part", ["0", 1, "jid", ""], /^Arg "jid" must be 1 to 255 bytes/],
    ["a time that is none", ["0", 1, "from", "now"], 'Arg "from" not a number: now'],
    ["an option that is none", ["0", 1, "name", "x"], /^Unknown option name/],
    ["an option without a value", ["0", 1, "queue"], /^Odd number/],
    ...["1", "x", "[]", "{}", '["a"]', JSON.stringify(Array(9).fill(""))].map(
      (cursor): BadCall => [
        `cursor ${cursor}`,
        [cursor, 1],
        "The cursor is not one that search has given",
      ],
    ),
  ];

  test("refuses arguments that cannot be", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "search", BAD);
  });

  const spot = (...texts: string[]) => JSON.stringify([...Array(10).fill(""), ...texts]);
  test.each([
    spot("work", "q", "x", "0", "a"),
    spot("work", "q", "0", "x", "a"),
    spot("work", "q", "0", "0", ""),
    spot("work", "", "0", "", ""),
    spot("tag", "x", "0", "", ""),
    spot("requests", "", "0", "", ""),
    spot("completed", "q", "0", "", ""),
    spot("work", "q", "0", "", "", "group"),
    spot("group", "g", "0", "", "", ...Array(1001).fill("group")),
    spot("work", "q"),
  ])("refuses the made up cursor %#", async (cursor) => {
    const bench = await open();
    await bench.put("q", "a");
    const rule = "The cursor is not one that search has given";
    await refusesEach(bench, "search", [[cursor, [cursor, 1], rule]]);
  });
});
