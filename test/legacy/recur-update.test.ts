import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();
const update = (now: number, ...pairs: (string | number)[]) =>
  legacy.call("recur.update", now, "r", ...pairs);

describe("recur.update", () => {
  test("changes what later children are given", async () => {
    await legacy.recur(0, "q", "r", 60);
    const [first] = await legacy.pop(0, "q", "w");
    expect(first).toMatchObject({ priority: 0, retries: 0, data: "{}", klass: "klass" });
    const pairs = ["priority", -10, "retries", 2, "data", '{"n": 1}', "klass", "other"];
    expect(await update(1, ...pairs)).toBe(1);
    expect(await legacy.json("recur.get", 1, "r")).toMatchObject({
      priority: -10,
      retries: 2,
      data: '{"n": 1}',
      klass: "other",
      interval: 60,
    });
    await legacy.complete(1, "r-1", "w", "q");
    const [second] = await legacy.pop(60, "q", "w");
    expect(second).toMatchObject({
      jid: "r-2",
      priority: -10,
      retries: 2,
      remaining: 2,
      data: '{"n": 1}',
      klass: "other",
    });
  });

  test("of the interval moves the next child by the difference", async () => {
    await legacy.recur(0, "q", "r", 100);
    await legacy.pop(0, "q", "w");
    await legacy.complete(0, "r-1", "w", "q");
    await legacy.popped(100, "q", "w", ["r-2"]);
    await legacy.complete(100, "r-2", "w", "q");
    await update(150, "interval", 10);
    await legacy.popped(150, "q", "w", ["r-3", "r-4", "r-5", "r-6", "r-7"], 100);
    for (let i = 3; i < 8; i++) await legacy.complete(150, `r-${i}`, "w", "q");
    await update(155, "interval", 1000);
    await legacy.popped(1149, "q", "w", []);
    await legacy.popped(1150, "q", "w", ["r-8"]);
  });

  test("of the interval to what it is changes nothing", async () => {
    await legacy.recur(0, "q", "r", 60, 10);
    await update(5, "interval", 60);
    expect(Number(await legacy.redis.zscore("ql:q:q-recur", "r"))).toBe(10);
  });

  test("of the interval never loses a child", async () => {
    await legacy.recur(0, "q", "r", 1000, 10);
    await update(0, "interval", 1);
    expect(await legacy.call("jobs", 0, "recurring", "q")).toEqual(["r"]);
    expect((await legacy.pop(20, "q", "w", 100)).length).toBeGreaterThan(0);
  });

  test("of the queue moves the recurring job, and makes the queue known", async () => {
    await legacy.recur(0, "q", "r", 60);
    await legacy.popped(0, "q", "w", ["r-1"]);
    await legacy.complete(0, "r-1", "w", "q");
    expect(await update(1, "queue", "p")).toBe(1);
    expect(await legacy.json("recur.get", 1, "r")).toMatchObject({ queue: "p" });
    const queues = await legacy.json<{ name: string; recurring: number }[]>("queues", 1);
    expect(queues.map(({ name, recurring }) => [name, recurring])).toEqual([
      ["q", 0],
      ["p", 1],
    ]);
    await legacy.popped(60, "q", "w", []);
    await legacy.popped(60, "p", "w", ["r-2"]);
  });

  test("of nothing at all is no mistake", async () => {
    await legacy.recur(0, "q", "r", 60);
    expect(await update(0)).toBe(1);
  });

  test("takes numbers as text, as the Ruby client sends the backlog", async () => {
    await legacy.recur(0, "q", "r", 60, 0, "backlog", 10);
    await update(0, "backlog", "1");
    expect(await legacy.json("recur.get", 0, "r")).toMatchObject({ backlog: 1 });
  });

  test("is refused when any pair is malformed, and then applies none", async () => {
    await legacy.recur(0, "q", "r", 60);
    const bad: (string | number)[][] = [
      ["priority"],
      ["priority", "foo"],
      ["interval"],
      ["interval", "foo"],
      ["interval", 0],
      ["interval", -5],
      ["retries"],
      ["retries", "foo"],
      ["data"],
      ["data", "[}"],
      ["klass"],
      ["queue"],
      ["backlog"],
      ["backlog", "foo"],
      ["backlog", -1],
      ["nonsense", 1],
    ];
    for (const pairs of bad) {
      await legacy.refusedWhole(() => update(1, "priority", 7, ...pairs), /: /);
    }
  });

  test("is refused for a recurring job there is not", async () => {
    await legacy.refusedWhole(() => update(0, "priority", 1), /^Recur\(\): .*r\b/);
    await legacy.refusedWhole(() => legacy.call("recur.update", 0), /\(\): .*jid/);
  });
});

describe("recur.tag and recur.untag", () => {
  test("change the tags of later children only", async () => {
    await legacy.recur(0, "q", "r", 60, 0, "tags", '["x"]');
    expect((await legacy.pop(0, "q", "w"))[0]?.tags).toEqual(["x"]);
    await legacy.complete(0, "r-1", "w", "q");
    expect(await legacy.json("recur.tag", 0, "r", "y", "z", "y")).toEqual(["x", "y", "z"]);
    expect(await legacy.json("tag", 0, "get", "y")).toEqual({ total: 0, jobs: [] });
    expect((await legacy.pop(60, "q", "w"))[0]?.tags).toEqual(["x", "y", "z"]);
    await legacy.complete(60, "r-2", "w", "q");
    expect(await legacy.json("recur.untag", 60, "r", "x", "z", "missing")).toEqual(["y"]);
    expect((await legacy.pop(120, "q", "w"))[0]?.tags).toEqual(["y"]);
    expect(await legacy.json("tag", 120, "get", "x")).toMatchObject({ total: 2 });
  });

  test("can take all tags off", async () => {
    await legacy.recur(0, "q", "r", 60, 0, "tags", '["x"]');
    expect(await legacy.json("recur.untag", 0, "r", "x")).toEqual([]);
    expect(await legacy.json("recur.get", 0, "r")).toMatchObject({ tags: [] });
  });

  test("are refused for a recurring job there is not", async () => {
    await legacy.refusedWhole(
      () => legacy.call("recur.tag", 0, "r", "x"),
      /^Tag\(\): .*r does not exist/,
    );
    await legacy.refusedWhole(
      () => legacy.call("recur.untag", 0, "r", "x"),
      /^Untag\(\): .*r does not exist/,
    );
  });
});
