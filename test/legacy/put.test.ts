import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();

describe("put", () => {
  test("takes what the Ruby client sends, always with all options", async () => {
    const options = ["priority", 3, "tags", '["x","y"]', "retries", 2, "depends", "[]"];
    const jid = "0123456789abcdef0123456789abcdef";
    const args = ["host-1", "q", jid, "Qless::Job", '{"n":1}', 0, ...options];
    expect(await legacy.call("put", 1389383022.123, ...args)).toBe(jid);
    expect(await legacy.job(1389383023, jid)).toMatchObject({
      jid,
      klass: "Qless::Job",
      queue: "q",
      state: "waiting",
      data: '{"n":1}',
      priority: 3,
      tags: ["x", "y"],
      retries: 2,
      remaining: 2,
      worker: "",
      expires: 0,
      dependencies: [],
      history: [{ what: "put", q: "q", when: 1389383022 }],
    });
  });

  test("without options has priority 0, five retries and no tags", async () => {
    await legacy.put(0, "q", "a");
    expect(await legacy.job(0, "a")).toMatchObject({ priority: 0, retries: 5, tags: [] });
  });

  test("takes the last of two options of one name", async () => {
    await legacy.put(0, "q", "a", "priority", 1, "priority", 2);
    expect((await legacy.job(0, "a")).priority).toBe(2);
  });

  test("takes fractions and negative numbers for priorities", async () => {
    for (const priority of [0.5, -0.25, -10, 100000, 1e6]) {
      await legacy.put(0, "q", "a", "priority", priority);
      expect((await legacy.job(0, "a")).priority).toBe(priority);
    }
  });

  test("with a delay schedules the job", async () => {
    await legacy.schedule(0, "q", "a", 1);
    expect(await legacy.job(0, "a")).toMatchObject({ state: "scheduled", queue: "q" });
    await legacy.popped(0, "q", "w", []);
    await legacy.popped(0.999, "q", "w", []);
    await legacy.popped(1, "q", "w", ["a"]);
  });

  test("takes a fraction of a second for a delay", async () => {
    await legacy.schedule(1.25, "q", "a", 0.5);
    await legacy.popped(1.74, "q", "w", []);
    await legacy.popped(1.75, "q", "w", ["a"]);
  });

  test("with a delay of zero or less does not wait", async () => {
    await legacy.schedule(10, "q", "a", 0);
    await legacy.schedule(10, "q", "b", -5);
    expect(await legacy.state(10, "b")).toBe("waiting");
    await legacy.popped(10, "q", "w", ["a", "b"]);
  });

  test("keeps each tag once, in the order given", async () => {
    await legacy.put(0, "q", "a", "tags", '["y","x","y"]');
    expect((await legacy.job(0, "a")).tags).toEqual(["y", "x"]);
  });

  test("takes numbers in the list of tags for their text", async () => {
    await legacy.put(0, "q", "a", "tags", "[1,2]");
    expect((await legacy.job(0, "a")).tags.map(String)).toEqual(["1", "2"]);
    expect(await legacy.json("tag", 0, "get", "1")).toEqual({ total: 1, jobs: ["a"] });
  });
});

describe("put again", () => {
  test("moves the job to another queue and adds to its history", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(1, "p", "a");
    expect(await legacy.job(1, "a")).toMatchObject({
      queue: "p",
      state: "waiting",
      history: [
        { what: "put", q: "q", when: 0 },
        { what: "put", q: "p", when: 1 },
      ],
    });
    expect(await legacy.counts(1, "q")).toMatchObject({ waiting: 0 });
    await legacy.popped(1, "q", "w", []);
    await legacy.popped(1, "p", "w", ["a"]);
  });

  test("replaces klass and data", async () => {
    await legacy.put(0, "q", "a");
    await legacy.call("put", 1, "w", "q", "a", "other", '{"n":2}', 0);
    expect(await legacy.job(1, "a")).toMatchObject({ klass: "other", data: '{"n":2}' });
  });

  test("keeps priority, tags and retries unless they are given", async () => {
    await legacy.put(0, "q", "a", "priority", 1, "tags", '["x"]', "retries", 2);
    await legacy.put(1, "p", "a");
    expect(await legacy.job(1, "a")).toMatchObject({ priority: 1, tags: ["x"], retries: 2 });
    await legacy.put(2, "p", "a", "priority", 3, "tags", '["y"]', "retries", 4);
    expect(await legacy.job(2, "a")).toMatchObject({ priority: 3, tags: ["y"], retries: 4 });
    expect(await legacy.json("tag", 2, "get", "x")).toMatchObject({ total: 0 });
    expect(await legacy.json("tag", 2, "get", "y")).toMatchObject({ total: 1 });
  });

  test("clears the tags when it comes with none, as both clients send it", async () => {
    await legacy.put(0, "q", "a", "tags", '["x"]');
    await legacy.put(1, "q", "a", "tags", "[]");
    expect((await legacy.job(1, "a")).tags).toEqual([]);
    expect(await legacy.json("tag", 1, "get", "x")).toEqual({ total: 0, jobs: [] });
  });

  test("sets the retries left back", async () => {
    await legacy.put(0, "q", "a", "retries", 2);
    await legacy.pop(0, "q", "w");
    await legacy.call("retry", 0, "a", "q", "w", 0);
    expect((await legacy.job(0, "a")).remaining).toBe(1);
    await legacy.put(1, "q", "a");
    expect((await legacy.job(1, "a")).remaining).toBe(2);
  });

  test("takes a running job from its worker", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.call("put", 1, "w", "q", "a", "klass", "{}", 0);
    expect(await legacy.job(1, "a")).toMatchObject({ state: "waiting", worker: "", expires: 0 });
    expect(await legacy.json("workers", 1, "w")).toEqual({ jobs: [], stalled: [] });
    expect(await legacy.sizes("q")).toEqual({ work: 1, locks: 0, scheduled: 0, depends: 0 });
  });

  test("with a delay schedules a job that waited, and without one a scheduled job waits", async () => {
    await legacy.put(0, "q", "a");
    await legacy.schedule(1, "q", "a", 10);
    expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 0, scheduled: 1, depends: 0 });
    await legacy.put(2, "q", "a");
    expect(await legacy.sizes("q")).toEqual({ work: 1, locks: 0, scheduled: 0, depends: 0 });
    await legacy.popped(2, "q", "w", ["a"]);
  });

  test("brings back a failed job, whose failure is told until it completes", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(1, "q", "w");
    await legacy.fail(2, "a", "w");
    await legacy.put(3, "q", "a");
    expect(await legacy.json("failed", 3)).toEqual({});
    expect(await legacy.job(3, "a")).toMatchObject({
      state: "waiting",
      failure: { group: "group", message: "message", when: 2, worker: "w" },
    });
    await legacy.pop(4, "q", "w");
    await legacy.complete(5, "a", "w", "q");
    expect((await legacy.job(5, "a")).failure).toEqual({});
  });

  test("brings back a completed job", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.complete(1, "a", "w", "q");
    await legacy.put(2, "q", "a");
    expect(await legacy.job(2, "a")).toMatchObject({ state: "waiting", queue: "q" });
    await legacy.popped(2, "q", "w", ["a"]);
  });

  test("of a canceled job is a new job", async () => {
    await legacy.put(0, "q", "a", "priority", 5, "tags", '["x"]');
    await legacy.call("cancel", 1, "a");
    await legacy.put(2, "q", "a");
    expect(await legacy.job(2, "a")).toMatchObject({
      priority: 0,
      tags: [],
      history: [{ what: "put", q: "q", when: 2 }],
    });
  });
});

describe("requeue", () => {
  test("is a put for a job that exists", async () => {
    await legacy.put(0, "q", "a", "priority", 5, "tags", '["x"]', "retries", 3);
    const args = ["w", "p", "a", "klass", '{"n":1}', 0, "depends", "[]"];
    expect(await legacy.call("requeue", 1, ...args)).toBe("a");
    expect(await legacy.job(1, "a")).toMatchObject({
      queue: "p",
      data: '{"n":1}',
      priority: 5,
      tags: ["x"],
      retries: 3,
      history: [
        { what: "put", q: "q" },
        { what: "put", q: "p" },
      ],
    });
  });

  test("takes the delay and options that the Ruby client sends", async () => {
    await legacy.put(0, "q", "a");
    const options = ["priority", 1, "tags", '["x"]', "retries", 2, "depends", "[]"];
    await legacy.call("requeue", 1, "w", "q", "a", "klass", "{}", 10, ...options);
    expect(await legacy.job(1, "a")).toMatchObject({ state: "scheduled", priority: 1, retries: 2 });
    await legacy.popped(11, "q", "w", ["a"]);
  });

  test("is refused for a job that does not exist, or was canceled", async () => {
    const again = () => legacy.call("requeue", 1, "w", "q", "a", "klass", "{}", 0);
    await legacy.refusedWhole(again, "Requeue(): Job a does not exist");
    await legacy.put(0, "q", "a");
    await legacy.call("cancel", 0, "a");
    await legacy.refusedWhole(again, "Requeue(): Job a does not exist");
  });
});
