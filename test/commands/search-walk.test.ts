import { expect, test } from "vitest";
import { everyHand, PLACE } from "../damage.ts";
import { type Bench, everyEngine } from "../engines.ts";
import { bring } from "./behaviour.ts";
import { type Criteria, find, found, searchAll } from "./searching.ts";

/** Numbers that are the same in every run, as the walk must not depend on luck. */
function lots(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const some = (count: number) => Array.from({ length: count }, (_, i) => `j${i}`);

async function putMany(bench: Bench, jids: string[], ...options: (string | number)[]) {
  const words = jids.flatMap((jid) => ["q", jid, "k", "{}", 0, options.length, ...options]);
  await bench.call("put.many", "w", ...words);
}

everyEngine("search", (open) => {
  const WALKS: [string, Criteria][] = [
    ["the newest waiting jobs", { state: "waiting", order: "newest" }],
    ["the oldest waiting jobs", { state: "waiting", order: "oldest" }],
    ["the newest jobs of a tag", { tag: "x" }],
    ["the oldest jobs of a tag", { tag: "x", order: "oldest" }],
  ];

  test.each(WALKS)("misses none of %s while others go", async (_, criteria) => {
    const bench = await open();
    const lot = lots(7);
    const jids = some(120);
    for (let i = 0; i < 120; i += 10) {
      await putMany(bench.later(1), jids.slice(i, i + 10), "tags", '["x"]', "priority", lot(3));
    }
    const left = new Set(jids);
    const { jids: seen } = await searchAll(bench, criteria, 7, async (page) => {
      // The last one goes each time, on which the cursor stands, and some anywhere.
      const going = [...page.jids.slice(-1), ...Array.from({ length: 4 }, () => jids[lot(120)]!)];
      await bench.call("cancel.many", ...new Set([...going, "none"]));
      for (const jid of going) left.delete(jid);
    });
    expect(seen).toEqual(expect.arrayContaining([...left]));
  });

  test("repeats no waiting job when the one where it stopped is gone", async () => {
    const bench = await open();
    await putMany(bench, some(100));
    const gone = new Set<string>();
    for (const order of ["oldest", "newest"]) {
      const there = some(100).filter((jid) => !gone.has(jid));
      const criteria = { state: "waiting", queue: "q", order };
      const { jids } = await searchAll(bench, criteria, 9, async (page) => {
        const last = page.jids.at(-1)!;
        await bench.call("move", "elsewhere", last);
        gone.add(last);
      });
      expect(jids).toEqual(order === "oldest" ? there : there.toReversed());
    }
  });

  test("repeats at most the jobs of one moment when the one where it stopped is gone", async () => {
    const bench = await open();
    await putMany(bench, ["a", "b"], "tags", '["x"]');
    await putMany(bench.later(1), ["c", "d", "e"], "tags", '["x"]');
    const criteria = { tag: "x", order: "oldest" };
    const first = await find(bench, criteria, "0", 4);
    expect(first.jids).toEqual(["a", "b", "c", "d"]);
    await bench.call("cancel", "d");
    expect((await find(bench, criteria, first.cursor)).jids).toEqual(["c", "e"]);
  });

  test("goes on behind a job whose priority has changed", async () => {
    const bench = await open();
    await putMany(bench, some(6));
    const first = await find(bench, { state: "waiting", order: "oldest" }, "0", 3);
    await bench.call("priority", "j2", -5);
    const rest = await find(bench, { state: "waiting", order: "oldest" }, first.cursor);
    expect(rest.jids).toEqual(["j3", "j4", "j5"]);
  });

  test("meets those that come in behind where it is", async () => {
    const bench = await open();
    await putMany(bench, some(4));
    const first = await find(bench, { state: "waiting", order: "oldest" }, "0", 2);
    await bench.put("q", "late");
    await bench.put("q", "early", { priority: -1 });
    const rest = await find(bench, { state: "waiting", order: "oldest" }, first.cursor);
    expect(rest.jids).toEqual(["j2", "j3", "late"]);
  });

  test("does not miss a due job that is moved among the waiting", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { delay: 1 });
    bench.later(1);
    const first = await find(bench, { state: "waiting" }, "0", 1);
    await bench.call("tick");
    const rest = await find(bench, { state: "waiting" }, first.cursor);
    expect([...first.jids, ...rest.jids]).toEqual(expect.arrayContaining(["a", "b"]));
  });

  test("misses no running job whose lock is renewed", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bring(bench.later(1), "running", jid);
    const first = await find(bench, { state: "running" }, "0", 1);
    await bench.later(1).call("heartbeat", "b", "w");
    const rest = await find(bench, { state: "running" }, first.cursor);
    expect([...first.jids, ...rest.jids]).toEqual(["a", "c", "b"]);
  });

  test("misses no group of failures that grows or shrinks", async () => {
    const bench = await open();
    const fail = async (jid: string, group: string) => {
      await bench.put("q", jid);
      await bench.pop("q", "w");
      await bench.call("fail", jid, "w", group, "message");
    };
    for (const jid of ["a1", "a2", "a3", "b1", "b2", "c1"]) await fail(jid, jid[0]!);
    let calls = 0;
    const { jids } = await searchAll(bench, { state: "failed" }, 1, async () => {
      calls += 1;
      if (calls === 2) for (const jid of ["c2", "c3", "c4", "c5"]) await fail(jid, "c");
      if (calls === 3) await bench.call("cancel", "a1", "a2", "a3", "b2");
    });
    expect(jids).toEqual(expect.arrayContaining(["b1", "c1", "c2", "c3", "c4", "c5"]));
    expect(new Set(jids).size).toBe(jids.length);
  });

  test("goes through a thousand groups, the largest first", { timeout: 60_000 }, async () => {
    const bench = await open();
    const fail = async (jids: string[], group: (jid: string) => string) => {
      await putMany(bench, jids);
      await bench.pop("q", "w", 1000);
      const outcomes = jids.map((jid) => ["fail", jid, "", 4, "group", group(jid), "message", ""]);
      await bench.call("finish", "w", 0, "[]", ...outcomes.flat());
    };
    await fail(some(1000), (jid) => `of ${jid}`);
    await fail(["large-1", "large-2", "large-3"], () => "large");
    await fail(["a", "b"], (jid) => jid);
    await bring(bench, "complete", "done");
    const { jids, calls } = await searchAll(bench, {}, 10_000);
    expect(jids).toHaveLength(3 + 999 + 1);
    expect(jids.slice(0, 3)).toEqual(["large-3", "large-2", "large-1"]);
    expect(jids.at(-1)).toBe("done");
    expect(calls).toBeLessThan(20);
    expect(await found(bench, { group: "of j0" })).toEqual(["j0"]);
  });

  test("goes on when the queue where it stopped is forgotten", async () => {
    const bench = await open();
    for (const queue of ["a", "b", "c"]) await bench.later(1).put(queue, `of-${queue}`);
    const first = await find(bench, {}, "0", 2);
    expect(first.jids).toEqual(["of-a", "of-b"]);
    await bench.call("queue.forget", "b");
    expect((await find(bench, {}, first.cursor)).jids).toEqual(["of-c"]);
  });

  test("finds each job once, however few are asked for at a time", {
    timeout: 60_000,
  }, async () => {
    const bench = await open();
    for (const state of ["complete", "failed", "running", "depends", "scheduled"] as const) {
      for (const jid of some(4)) await bring(bench, state, `${state}-${jid}`, `${state}-${jid}`);
    }
    const all = await found(bench);
    expect(new Set(all).size).toBe(24);
    for (const count of [1, 2, 5]) {
      for (const order of ["newest", "oldest"]) {
        const { jids } = await searchAll(bench, { order }, count);
        expect(jids.toSorted()).toEqual(all.toSorted());
      }
    }
  });
});

everyHand("search", (open) => {
  test("passes over what has no record", async () => {
    const { bench, hands } = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid, { tags: ["x"] });
    await hands.remove("j:b");
    await hands.rank("q:q-work", 0, `${PLACE}ghost`);
    await hands.rank("q:q-work", 0, "no place");
    await hands.rank("q:q-locks", 0, "ghost");
    for (const criteria of [{}, { tag: "x" }, { queue: "q", state: "waiting" }]) {
      for (const count of [1, 2, 10]) {
        expect((await searchAll(bench, criteria, count)).jids).toEqual(["c", "a"]);
      }
    }
  });

  test("goes on among damaged members when the one where it stopped is gone", async () => {
    const { bench, hands } = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await hands.rank("q:q-work", 0, "no place");
    const first = await find(bench, { state: "waiting", order: "oldest" }, "0", 1);
    await bench.call("cancel", "a");
    const rest = await find(bench, { state: "waiting", order: "oldest" }, first.cursor);
    expect([...first.jids, ...rest.jids]).toEqual(["a", "b", "c"]);
  });
});
