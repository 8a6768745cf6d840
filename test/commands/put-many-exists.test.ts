import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { bring, contents, refusedInVain, resent, STATES, told, type Words } from "./behaviour.ts";

const job = (jid: string, ...options: Words): Words => {
  return ["q", jid, "klass", `["${jid}"]`, 0, options.length, ...options];
};
const keep = (jid: string, ...options: Words) => job(jid, "exists", "keep", ...options);
const many = (bench: Bench, ...jobs: Words[]) => bench.call("put.many", "w", ...jobs.flat());

everyEngine("put.many of jids that exist", (open) => {
  test("answers each jid and what was done, if any job of the call has the option", async () => {
    const bench = await open();
    expect(await many(bench, keep("a"), job("b"))).toEqual(["a", "created", "b", "created"]);
    expect(await many(bench, keep("a"), job("b"), keep("c"))).toEqual([
      "a",
      "kept",
      "b",
      "replaced",
      "c",
      "created",
    ]);
    expect(await many(bench, job("a"), job("d"))).toEqual(["a", "d"]);
  });

  test.each(STATES)("keeps jobs that are %s in silence, and puts the others", async (state) => {
    const bench = await open();
    await bring(bench, state, "a", "r");
    const before = await bench.json("get", "a");
    const heard = await bench.hearing(async () => {
      const answer = await many(bench, keep("a", "priority", 3), keep("b"), keep("c"));
      expect(answer).toEqual(["a", "kept", "b", "created", "c", "created"]);
    });
    expect(await bench.json("get", "a")).toEqual(before);
    expect(told(heard)).toEqual([
      [expect.any(String), expect.objectContaining({ jids: ["b", "c"] })],
    ]);
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["b", "c"]);
  });

  test("changes nothing the second time", async () => {
    const bench = await open();
    const jobs = ["a", "b", "c"].map((jid) => keep(jid));
    await many(bench, ...jobs);
    await bench.later(1).pop("q", "w");
    const before = await contents(bench);
    const heard = await bench.hearing(async () => {
      expect(await many(bench, ...jobs)).toEqual(["a", "kept", "b", "kept", "c", "kept"]);
    });
    expect([await contents(bench), heard]).toEqual([before, []]);
  });

  test("puts all jobs or none, where one is refused", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const jobs = [keep("b"), job("a", "exists", "refuse"), keep("c")].flat();
    await refusedInVain(bench, ["put.many", "w", ...jobs], "JID_TAKEN", /^Job a exists already/);
    const bad = [keep("b"), keep("a", "until", "start")].flat();
    await refusedInVain(bench, ["put.many", "w", ...bad], "BAD_ARGUMENT");
    const wrong = [keep("b"), job("a", "exists", "x")].flat();
    await refusedInVain(bench, ["put.many", "w", ...wrong], "BAD_ARGUMENT");
  });

  test("lets the second of two with one jid meet the first", async () => {
    const bench = await open();
    const first = job("a", "priority", 1);
    expect(await many(bench, first, keep("a"), job("b"))).toEqual([
      "a",
      "created",
      "a",
      "kept",
      "b",
      "created",
    ]);
    expect(await bench.json("get", "a")).toMatchObject({ priority: 1 });
    expect((await bench.json("get", "a")).history).toHaveLength(1);
    const again = job("c", "exists", "replace", "priority", 2);
    expect(await many(bench, job("c"), again)).toEqual(["c", "created", "c", "replaced"]);
    expect(await bench.json("get", "c")).toMatchObject({ priority: 2 });
    const refusing = [job("d"), job("d", "exists", "refuse")].flat();
    await refusedInVain(bench, ["put.many", "w", ...refusing], "JID_TAKEN");
    const plain = [keep("d"), job("d")].flat();
    const reason = 'Job d is in the call twice: give the second one "exists"';
    await refusedInVain(bench, ["put.many", "w", ...plain], "BAD_ARGUMENT", reason);
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["b", "a", "c"]);
  });

  test("reads the option of a job that is written as the one before it", async () => {
    const bench = await open();
    await bench.put("q", "b");
    const same = (jid: string): Words => ["\t", jid, `["${jid}"]`];
    expect(await many(bench, keep("a"), same("b"), same("a"))).toEqual([
      "a",
      "created",
      "b",
      "kept",
      "a",
      "kept",
    ]);
  });

  test("lets a job wait for one that is kept, whatever their order", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const [first, last] = [keep("x", "depends", '["a"]'), keep("y", "depends", '["a"]')];
    expect(await many(bench, first, keep("a"), last)).toEqual([
      "x",
      "created",
      "a",
      "kept",
      "y",
      "created",
    ]);
    for (const jid of ["x", "y"]) {
      expect(await bench.json("get", jid)).toMatchObject({ state: "depends", dependencies: ["a"] });
    }
  });

  test("does not wait for one that is kept and complete", async () => {
    const bench = await open();
    await bring(bench, "complete");
    await many(bench, keep("x", "depends", '["a"]'), keep("a"));
    expect(await bench.json("get", "x")).toMatchObject({ state: "waiting" });
  });

  test("does not give a kept job the dependencies that it names", async () => {
    const bench = await open();
    await bench.put("q", "a");
    // Waiting for each other would be refused.
    expect(await many(bench, keep("a", "depends", '["x"]'), keep("x", "depends", '["a"]'))).toEqual(
      ["a", "kept", "x", "created"],
    );
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", dependencies: [] });
  });

  test("does not give a kept job the key that it names, which the next one can have", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const jobs = [keep("a", "unique", "k"), keep("b", "unique", "k"), keep("c", "unique", "k")];
    expect(await many(bench, ...jobs)).toEqual(["a", "kept", "b", "created", "b", "kept"]);
    expect(await bench.call("unique.get", "k")).toBe("b");
    const changing = keep("d", "unique", "k", "conflict", "data");
    expect(await many(bench, changing, keep("e"))).toEqual(["b", "changed", "e", "created"]);
  });

  test("takes a jid that is only tracked for free", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    await bench.call("cancel", "a");
    expect(await many(bench, job("a", "exists", "refuse"), keep("b"), keep("a"))).toEqual([
      "a",
      "created",
      "b",
      "created",
      "a",
      "kept",
    ]);
  });

  test("answers a request that is sent again as the first time", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const jobs = [keep("a"), keep("b")].flat();
    expect(await resent(bench, "put.many", "w", ...jobs)).toEqual(["a", "kept", "b", "created"]);
  });
});
