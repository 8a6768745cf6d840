import { describe, expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();
const tag = <T>(...args: (string | number)[]) => legacy.json<T>("tag", 0, ...args);
const tagged = async (name: string) => (await tag<{ jobs: string[] }>("get", name)).jobs;

describe("tag add and remove", () => {
  test("change the tags of a job, in order", async () => {
    await legacy.put(0, "q", "a", "tags", '["x"]');
    expect(await tag("add", "a", "z", "y")).toEqual(["x", "z", "y"]);
    expect((await legacy.job(0, "a")).tags).toEqual(["x", "z", "y"]);
    expect(await tag("remove", "a", "z")).toEqual(["x", "y"]);
    expect((await legacy.job(0, "a")).tags).toEqual(["x", "y"]);
    expect(await tag("remove", "a", "x", "y")).toEqual([]);
  });

  test("keep each tag once", async () => {
    await legacy.put(0, "q", "a", "tags", '["x"]');
    expect(await tag("add", "a", "x", "y", "y", "x")).toEqual(["x", "y"]);
    expect(await tag("get", "x")).toEqual({ total: 1, jobs: ["a"] });
  });

  test("of what is there already, or is not, change nothing", async () => {
    await legacy.put(0, "q", "a", "tags", '["x"]');
    await tag("add", "a", "x");
    await tag("remove", "a", "y", "y");
    expect((await legacy.job(0, "a")).tags).toEqual(["x"]);
    await legacy.put(0, "q", "b", "tags", '["x"]');
    await tag("remove", "a", "x");
    await tag("remove", "a", "x");
    expect(await tag("get", "x")).toEqual({ total: 1, jobs: ["b"] });
    expect(await tag("top")).toEqual([]);
  });

  test("take a job in any state", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await tag("add", "a", "x");
    await legacy.complete(0, "a", "w", "q");
    await tag("add", "a", "y");
    expect((await legacy.job(0, "a")).tags).toEqual(["x", "y"]);
    expect(await tagged("y")).toEqual(["a"]);
  });

  test("are refused for a job there is not", async () => {
    for (const way of ["add", "remove"]) {
      await legacy.refusedWhole(
        () => legacy.call("tag", 0, way, "a", "x"),
        "Tag(): Job a does not exist",
      );
    }
  });
});

describe("tag get", () => {
  test("finds the jobs of a tag, the first tagged first", async () => {
    await legacy.put(2, "q", "a", "tags", '["x","both"]');
    await legacy.put(1, "q", "b", "tags", '["y","both"]');
    expect(await tag("get", "x", 0, 10)).toEqual({ total: 1, jobs: ["a"] });
    expect(await tag("get", "both", 0, 10)).toEqual({ total: 2, jobs: ["b", "a"] });
    expect(await tag("get", "z", 0, 10)).toEqual({ total: 0, jobs: [] });
  });

  test("pages", async () => {
    const all = jids(60);
    for (const [i, jid] of all.entries()) await legacy.put(i, "q", jid, "tags", '["x"]');
    expect(await tag("get", "x")).toEqual({ total: 60, jobs: all.slice(0, 25) });
    expect(await tag("get", "x", 0, 50)).toEqual({ total: 60, jobs: all.slice(0, 50) });
    expect(await tag("get", "x", 50, 50)).toEqual({ total: 60, jobs: all.slice(50) });
  });

  test("with a count of zero gives all, as it always has", async () => {
    const all = jids(30);
    for (const [i, jid] of all.entries()) await legacy.put(i, "q", jid, "tags", '["x"]');
    expect(await tag("get", "x", 0, 0)).toEqual({ total: 30, jobs: all });
  });

  test("no longer finds jobs that were canceled or put with other tags", async () => {
    await legacy.put(0, "q", "a", "tags", '["x"]');
    await legacy.put(0, "q", "b", "tags", '["x"]');
    await legacy.call("cancel", 0, "a");
    expect(await tagged("x")).toEqual(["b"]);
    await legacy.put(0, "q", "b", "tags", '["y"]');
    expect(await tagged("x")).toEqual([]);
    expect(await legacy.redis.zrange("ql:tags", "0", "-1")).toEqual(["y"]);
  });
});

describe("tag top", () => {
  test("lists the tags of at least two jobs, the most used first", async () => {
    expect(await tag("top")).toEqual([]);
    for (let i = 0; i < 10; i++) {
      const tags = Array.from({ length: 10 - i }, (_, k) => `t${i + k}`);
      await legacy.put(0, "q", `j${i}`, "tags", JSON.stringify(tags));
    }
    const expected = Array.from({ length: 9 }, (_, i) => `t${9 - i}`);
    expect(await tag("top", 0, 20)).toEqual(expected);
    expect(await tag("top", 0, 5)).toEqual(expected.slice(0, 5));
    expect(await tag("top", 5, 5)).toEqual(expected.slice(5));
  });

  test("counts real changes only", async () => {
    for (const jid of ["a", "b"]) await legacy.put(0, "q", jid, "tags", '["x"]');
    expect(await tag("top")).toEqual(["x"]);
    await tag("remove", "b", "x");
    expect(await tag("top")).toEqual([]);
    for (let i = 0; i < 5; i++) await tag("add", "a", "x");
    expect(await tag("top")).toEqual([]);
    await tag("add", "b", "x");
    expect(await tag("top")).toEqual(["x"]);
    await legacy.call("cancel", 0, "a");
    expect(await tag("top")).toEqual([]);
  });

  test("no longer counts a job that expired", async () => {
    await legacy.call("config.set", 0, "jobs-history-count", 0);
    for (const jid of ["a", "b"]) await legacy.put(0, "q", jid, "tags", '["x"]');
    await legacy.pop(0, "q", "w", 1);
    await legacy.complete(0, "a", "w", "q");
    expect(await tag("top")).toEqual([]);
  });
});

test("tag is refused with arguments missing or malformed", async () => {
  const bad: [args: (string | number)[], sentence: RegExp][] = [
    [[], /^Tag\(\): Arg "command"/],
    [["foo"], /^Tag\(\): First argument must be "add", "remove"/],
    [["add"], /^Tag\(\): Arg "jid" missing/],
    [["remove"], /^Tag\(\): Arg "jid" missing/],
    [["get"], /^Tag\(\): Arg "tag" missing/],
    [["get", "x", "foo"], /^Tag\(\): Arg "offset" not a number: foo/],
    [["get", "x", 0, "foo"], /^Tag\(\): Arg "count" not a number: foo/],
    [["top", "foo"], /^Tag\(\): Arg "offset" not a number: foo/],
    [["top", 0, "foo"], /^Tag\(\): Arg "count" not a number: foo/],
  ];
  for (const [args, sentence] of bad) {
    await legacy.refusedWhole(() => legacy.call("tag", 0, ...args), sentence);
  }
});
