import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { told, type Words } from "./behaviour.ts";

/** Who holds the key `k`; empty when nobody does. */
const holder = (bench: Bench) => bench.call("unique.get", "k");

/** The key that the job says it holds. */
const keyOf = async (bench: Bench, jid = "a") => (await bench.json("get", jid)).unique;

everyEngine("put.many with unique keys", (open) => {
  const job = (jid: string, ...options: Words): Words => {
    return ["q", jid, "klass", `["${jid}"]`, 0, options.length, ...options];
  };
  const many = (bench: Bench, ...jobs: Words[]) => bench.call("put.many", "w", ...jobs.flat());

  test("answers for each job which one there is", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    const jobs = [job("b", "unique", "k"), job("c"), job("d", "unique", "l")];
    expect(await many(bench, ...jobs)).toEqual(["a", "c", "d"]);
    expect(await bench.json("get", "b")).toBeNull();
    expect(await bench.call("length", "q")).toBe(3);
  });

  test("lets the second of two with one key meet the first", async () => {
    const bench = await open();
    const heard = await bench.hearing(async () => {
      const answer = await many(bench, job("a", "unique", "k"), job("b", "unique", "k"), job("c"));
      expect(answer).toEqual(["a", "a", "c"]);
    });
    expect(told(heard)).toMatchObject([[expect.any(String), { jids: ["a", "c"] }]]);
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["a", "c"]);
  });

  test("lets the second replace the first, or its data or its time", async () => {
    const bench = await open();
    const answer = await many(
      bench,
      job("a", "unique", "k"),
      job("b", "unique", "k", "conflict", "replace", "priority", 3),
      job("c", "unique", "l"),
      job("d", "unique", "l", "conflict", "data"),
      job("e", "unique", "m"),
      job("f", "unique", "m", "conflict", "time", "at", bench.now + 50),
    );
    expect(answer).toEqual(["a", "a", "c", "c", "e", "e"]);
    expect(await bench.pop("q", "w", 9)).toMatchObject([
      { jid: "c", data: '["d"]' },
      { jid: "a", data: '["b"]', priority: 3 },
    ]);
    expect(await bench.json("get", "e")).toMatchObject({ state: "scheduled", data: '["e"]' });
  });

  test("lets a job have the key that another of the call lets go of", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    expect(await many(bench, job("a", "unique", "l"), job("b", "unique", "k"))).toEqual(["a", "b"]);
    expect(await many(bench, job("a", "unique", "m"), job("c", "unique", "m"))).toEqual(["a", "a"]);
    expect(await keyOf(bench)).toBe("m");
    expect(await bench.call("unique.get", "l")).toBe("");
  });

  test("lets jobs take a key whose time is over", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k", for: 10 });
    bench.later(10);
    const jobs = [job("b", "unique", "k"), job("a", "unique", "l"), job("c", "unique", "k")];
    expect(await many(bench, ...jobs)).toEqual(["b", "a", "b"]);
    expect(await holder(bench)).toBe("b");
  });

  test("makes nobody wait for a job that is not put", async () => {
    const bench = await open();
    await bench.put("r", "a", { unique: "k" });
    await many(bench, job("b", "unique", "k"), job("c", "depends", '["b"]'));
    expect(await bench.json("get", "c")).toMatchObject({ state: "waiting", dependencies: [] });
    await many(
      bench,
      job("d", "unique", "k", "conflict", "replace", "depends", '["c"]'),
      job("e", "depends", '["a"]'),
    );
    expect(await bench.json("get", "e")).toMatchObject({ state: "depends", dependencies: ["a"] });
    expect(await bench.json("get", "a")).toMatchObject({ state: "depends", dependencies: ["c"] });
  });

  test("is refused when a job that takes another's place would wait for itself", async () => {
    const bench = await open();
    await bench.put("q", "a", { unique: "k" });
    await bench.put("q", "b", { depends: ["a"] });
    const words = ["unique", "k", "conflict", "replace", "depends", '["b"]'];
    const call = many(bench, job("c"), job("d", ...words));
    await expect(call).rejects.toMatchObject({ code: "CYCLE" });
    const put = bench.call("put", "w", "q", "d", "klass", "{}", 0, ...words);
    await expect(put).rejects.toMatchObject({ code: "CYCLE" });
    expect(await bench.json("get", "c")).toBeNull();
  });

  test("knows what a job waits for that is put and then replaced", async () => {
    const bench = await open();
    await bench.put("r", "x");
    await bench.put("r", "y", { depends: ["x"] });
    const replaced = ["unique", "k", "conflict", "replace", "depends", '["y"]'];
    const first = job("a", "unique", "k", "depends", '["b"]');
    // By the time that b waits for a, a waits for y and no longer for b.
    await many(bench, first, job("b", "depends", '["a"]'), job("c", ...replaced));
    expect((await bench.json("get", "a")).dependencies).toEqual(["y"]);
    expect((await bench.json("get", "b")).dependencies).toEqual(["a"]);
  });
});
