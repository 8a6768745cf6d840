import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";
import { type BadCall, refusesEach, resent, type Words } from "./behaviour.ts";

/** Who holds the key `k`; empty when nobody does. */
const holder = (bench: Bench) => bench.call("unique.get", "k");

/** The key that the job says it holds. */
const keyOf = async (bench: Bench, jid = "a") => (await bench.json("get", jid)).unique;

everyEngine("put with a unique key", (open) => {
  test("holds the key, and answers with its jid", async () => {
    const bench = await open();
    expect(await bench.put("q", "a", { unique: "k" })).toBe("a");
    expect([await holder(bench), await keyOf(bench)]).toEqual(["a", "k"]);
  });

  test("makes no second job while the key is held, and answers with the holder's jid", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    expect(await bench.put("r", "b", { unique: "k", data: "[1]" })).toBe("a");
    expect(await bench.json("get", "b")).toBeNull();
    expect(await bench.json("queues")).toHaveLength(1);
    expect(await bench.put("r", "b", { unique: "K" })).toBe("b");
  });

  test("changes and announces nothing when it meets the holder", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    const before = await bench.json("get", "a");
    const heard = await bench.hearing(() => bench.later(1).put("r", "b", { unique: "k" }));
    expect(heard).toEqual([]);
    expect(await bench.json("get", "a")).toEqual(before);
  });

  test("leaves a job that exists where it is when another holds the key", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    await bench.put("q", "b", { unique: "l" });
    const before = await bench.json("get", "b");
    expect(await bench.put("r", "b", { unique: "k" })).toBe("a");
    expect(await bench.call("requeue", "w", "r", "b", "l", "[]", 0, "unique", "k")).toBe("a");
    expect(await bench.json("get", "b")).toEqual(before);
    expect(await bench.call("unique.get", "l")).toBe("b");
  });

  test("is an ordinary put again for the job that holds the key", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    expect(await bench.put("r", "a", { unique: "k", until: "start", data: "[1]" })).toBe("a");
    expect(await bench.json("get", "a")).toMatchObject({ queue: "r", data: "[1]", unique: "k" });
    await bench.pop("r", "w");
    expect(await holder(bench)).toBe("");
  });

  test("lets go of the key that the job held before", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", for: 100 });
    await bench.put("q", "a", { unique: "l" });
    expect([await holder(bench), await bench.call("unique.get", "l")]).toEqual(["", "a"]);
    expect(await keyOf(bench)).toBe("l");
  });

  test("keeps the key that the job holds when it names none", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    await bench.put("r", "a");
    expect([await holder(bench), await keyOf(bench)]).toEqual(["a", "k"]);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    const words = ["w", "r", "b", "klass", "[1]", 0, "unique", "k", "conflict", "replace"];
    expect(await resent(bench, "put", ...words)).toBe("a");
  });

  test("holds keys of any name apart", async () => {
    const bench = await open();
    const keys = ["k", "k:", "constructor", "__proto__", "é", "s", " "];
    for (const [i, unique] of keys.entries()) await bench.put("q", `job-${i}`, { unique });
    for (const [i, key] of keys.entries()) {
      expect(await bench.call("unique.get", key)).toBe(`job-${i}`);
    }
  });

  test.each([
    ["start", ["", "", "", "", "", ""]],
    ["complete", ["a", "a", "a", "a", "a", ""]],
    ["failed", ["a", "a", "a", "", "", ""]],
  ] as const)("until %s lets go in time, and never again", async (until, holders) => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", until });
    expect(await holder(bench)).toBe("a");
    const seen: unknown[] = [];
    const look = async () => seen.push(await holder(bench));
    await bench.pop("q", "w");
    await look();
    await bench.call("retry", "a", "q", "w");
    await look();
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}", "next", "r");
    await look();
    await bench.pop("r", "w");
    await bench.call("fail", "a", "w", "group", "message");
    await look();
    await bench.call("unfail", "q", "group");
    await look();
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}");
    await look();
    expect(seen).toEqual(holders);
    expect(await keyOf(bench)).toBeNull();
    expect(await bench.put("q", "b", { unique: "k" })).toBe("b");
  });

  test("until complete, which is usual, lets go by finish as well", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    await bench.put("q", "b", { unique: "l", until: "failed" });
    await bench.put("q", "c", { unique: "m", until: "start" });
    await bench.pop("q", "w", 2);
    const ends = ["complete", "a", "", 0, "fail", "b", "", 4, "group", "g", "message", "m"];
    await bench.call("finish", "w", 1, '["q"]', ...ends);
    for (const key of ["k", "l", "m"]) expect(await bench.call("unique.get", key)).toBe("");
  });

  test("until failed lets go when the retries run out", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", until: "failed", retries: 0 });
    await bench.put("q", "b", { unique: "l", until: "failed", retries: 0 });
    await bench.pop("q", "w", 2);
    await bench.call("retry", "b", "q", "w");
    expect(await bench.call("unique.get", "l")).toBe("");
    await bench.later(61).call("tick");
    expect(await holder(bench)).toBe("a");
    await bench.later(11).call("tick");
    expect(await holder(bench)).toBe("");
  });

  test.each(["start", "complete", "failed"])("until %s lets go when canceled", async (until) => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", until });
    await bench.call("cancel", "a");
    expect(await holder(bench)).toBe("");
    expect(await bench.put("q", "b", { unique: "k" })).toBe("b");
  });

  test("keeps its key when its lock is lost", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    await bench.pop("q", "w");
    await bench.call("timeout", "a");
    expect(await holder(bench)).toBe("a");
  });

  const MIXES: [string, Words, string][] = [
    ["until alone", ["until", "start"], '"until" cannot be used without a "unique".'],
    ["for alone", ["for", 1], '"for" cannot be used without a "unique".'],
    ["conflict alone", ["conflict", "keep"], '"conflict" cannot be used without a "unique".'],
    [
      "until and for",
      ["unique", "k", "until", "start", "for", 1],
      '"until" cannot be used with "for": give one of them',
    ],
    [
      "another until",
      ["unique", "k", "until", "running"],
      'Arg "until" must be start, complete or failed',
    ],
    ["an empty until", ["unique", "k", "until", ""], /^Arg "until" must be/.source],
    ["for nothing", ["unique", "k", "for", 0], 'Arg "for" must be greater than 0'],
    ["for less", ["unique", "k", "for", -1], 'Arg "for" must be greater than 0'],
    ["for long", ["unique", "k", "for", 1e10], /^Arg "for" must be from/.source],
    ["for no number", ["unique", "k", "for", "x"], 'Arg "for" not a number: x'],
    [
      "another conflict",
      ["unique", "k", "conflict", "drop"],
      'Arg "conflict" must be keep, replace, data or time',
    ],
    ["an empty key", ["unique", ""], /^Arg "unique" must be 1 to 255 bytes/.source],
    ["a long key", ["unique", "x".repeat(256)], /^Arg "unique" must be 1 to 255 bytes/.source],
  ];
  const reasonOf = (reason: string) => (reason.startsWith("^") ? new RegExp(reason) : reason);

  test("refuses options that make no sense, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    const head = ["w", "q", "b", "klass", "{}", 0];
    const bad = MIXES.map(([title, words, reason]): BadCall => {
      return [title, [...head, ...words], reasonOf(reason)];
    });
    await refusesEach(bench, "put", bad);
    const batch = bad.map(([title, [worker, ...words], reason]): BadCall => {
      const [job, options] = [words.slice(0, 5), words.slice(5)];
      return [
        title,
        [worker!, "q", "c", "k", "{}", 0, 0, ...job, options.length, ...options],
        reason,
      ];
    });
    await refusesEach(bench, "put.many", batch);
    const again = bad.map(([title, words, reason]): BadCall => [title, words.with(2, "a"), reason]);
    await refusesEach(bench, "requeue", again);
  });

  test("lets a batch change when its holder is due, and put that holder again", async () => {
    const bench = await open();
    await bench.put("q", "c", { delay: 30, unique: "u" });
    const job = (jid: string, ...options: string[]) => [
      "q",
      jid,
      "k",
      "{}",
      0,
      options.length,
      ...options,
    ];
    const time = job("a", "unique", "u", "conflict", "time");
    expect(await bench.call("put.many", "w", ...time, ...job("c"))).toEqual(["c", "c"]);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1, scheduled: 0 });
  });
});
