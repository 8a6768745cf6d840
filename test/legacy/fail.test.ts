import { describe, expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();

async function failed(now: number, jid: string, group = "group", queue = "q"): Promise<void> {
  await legacy.put(now, queue, jid);
  await legacy.popped(now, queue, "w", [jid]);
  await legacy.fail(now, jid, "w", group);
}

describe("fail", () => {
  test("ends a run badly", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(1, "q", "w");
    const args = ["a", "w", "group", "message", '{"n":1}'];
    expect(await legacy.call("fail", 2.5, ...args)).toBe("a");
    expect(await legacy.job(3, "a")).toMatchObject({
      state: "failed",
      queue: "q",
      worker: "",
      expires: 0,
      retries: 5,
      remaining: 5,
      data: '{"n":1}',
      failure: { group: "group", message: "message", when: 2, worker: "w" },
      history: [
        { what: "put", q: "q", when: 0 },
        { what: "popped", worker: "w", when: 1 },
        { what: "failed", worker: "w", group: "group", when: 2 },
      ],
    });
    expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 0, scheduled: 0, depends: 0 });
    expect(await legacy.json("workers", 3, "w")).toEqual({ jobs: [], stalled: [] });
    await legacy.popped(3, "q", "w", []);
  });

  test("leaves the data when none is sent", async () => {
    await legacy.call("put", 0, "w", "q", "a", "klass", '{"n":1}', 0);
    await legacy.pop(0, "q", "w");
    await legacy.call("fail", 0, "a", "w", "group", "message");
    expect((await legacy.job(0, "a")).data).toBe('{"n":1}');
  });

  test("takes messages of many lines, and of any length that a backtrace may have", async () => {
    const lines = "TypeError: nope\n  at a.rb:1\n\tat b.rb:2\r\n";
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.fail(0, "a", "w", "Job:TypeError", lines);
    expect((await legacy.job(0, "a")).failure.message).toBe(lines);
    await legacy.put(0, "q", "b");
    await legacy.pop(0, "q", "w");
    expect(await legacy.fail(0, "b", "w", "group", "0123456789".repeat(20_000))).toBe("b");
    expect(await legacy.state(0, "b")).toBe("failed");
  });

  test("takes an empty message", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.fail(0, "a", "w", "group", "");
    expect((await legacy.job(0, "a")).failure).toMatchObject({ group: "group", message: "" });
  });

  test("is refused in every state but running", async () => {
    await legacy.put(0, "q", "waits");
    await legacy.schedule(0, "q", "scheduled", 100);
    await legacy.put(0, "q", "depends", "depends", '["waits"]');
    await legacy.put(0, "p", "complete");
    await legacy.pop(0, "p", "w");
    await legacy.complete(0, "complete", "w", "p");
    await failed(0, "failed", "group", "other");
    for (const [jid, state] of [
      ["waits", "waiting"],
      ["scheduled", "scheduled"],
      ["depends", "depends"],
      ["complete", "complete"],
      ["failed", "failed"],
    ] as const) {
      await legacy.refusedWhole(
        () => legacy.fail(1, jid, "w"),
        new RegExp(`^Fail\\(\\): Job ${jid} .*not currently running: ${state}$`),
      );
    }
  });

  test("is refused for missing jobs and to other workers", async () => {
    await legacy.refusedWhole(() => legacy.fail(0, "a", "w"), "Fail(): Job a does not exist");
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    await legacy.refusedWhole(
      () => legacy.fail(1, "a", "other"),
      /^Fail\(\): Job a .*another worker: w$/,
    );
  });

  test("is refused with arguments missing or malformed", async () => {
    await legacy.put(0, "q", "a");
    await legacy.pop(0, "q", "w");
    for (const [args, sentence] of [
      [[], /\(\): .*jid/],
      [["a"], /^Fail\(\): Arg "worker" missing/],
      [["a", "w"], /^Fail\(\): Arg "group" missing/],
      [["a", "w", "group"], /^Fail\(\): Arg "message" missing/],
      [["a", "w", "group", "message", "[}"], /^Fail\(\): Arg "data"/],
    ] as const) {
      await legacy.refusedWhole(() => legacy.call("fail", 1, ...args), sentence);
    }
  });
});

describe("failed", () => {
  test("counts failures by group", async () => {
    expect(await legacy.json("failed", 0)).toEqual({});
    await failed(0, "a", "one");
    await failed(0, "b", "two");
    await failed(0, "c", "two");
    expect(await legacy.json("failed", 0)).toEqual({ one: 1, two: 2 });
  });

  test("lists the jobs of a group, the newest first, in pages", async () => {
    const all = jids(60);
    for (const [i, jid] of all.entries()) await failed(i, jid);
    const newest = all.toReversed();
    expect(await legacy.json("failed", 60, "group")).toEqual({
      total: 60,
      jobs: newest.slice(0, 25),
    });
    expect(await legacy.json("failed", 60, "group", 0, 50)).toEqual({
      total: 60,
      jobs: newest.slice(0, 50),
    });
    expect(await legacy.json("failed", 60, "group", 50, 50)).toEqual({
      total: 60,
      jobs: newest.slice(50),
    });
  });

  test("lists jobs that failed in one moment as they failed, whatever their jids", async () => {
    for (const jid of ["m", "a", "z", "b"]) await failed(0, jid);
    expect(await legacy.json("failed", 0, "group")).toEqual({
      total: 4,
      jobs: ["b", "z", "a", "m"],
    });
    expect(await legacy.call("unfail", 1, "q", "group", 2)).toBe(2);
    await legacy.popped(1, "q", "w", ["m", "a"]);
  });

  test("forgets jobs that were put or canceled, and then the group", async () => {
    await failed(0, "a");
    await failed(0, "b");
    await legacy.put(1, "q", "a");
    expect(await legacy.json("failed", 1)).toEqual({ group: 1 });
    await legacy.call("cancel", 1, "b");
    expect(await legacy.json("failed", 1)).toEqual({});
    expect(await legacy.json("failed", 1, "group")).toEqual({ total: 0, jobs: [] });
  });

  test("is refused with a start or limit that is no number", async () => {
    await legacy.refused(
      legacy.call("failed", 0, "group", "foo"),
      /^Failed\(\): Arg "start" .*not a number: foo/,
    );
    await legacy.refused(
      legacy.call("failed", 0, "group", 0, "foo"),
      /^Failed\(\): Arg "limit" .*not a number: foo/,
    );
  });
});

describe("unfail", () => {
  test("puts the jobs of a group into a queue, as often as asked, the oldest first", async () => {
    const all = jids(30);
    for (const [i, jid] of all.entries()) await failed(i, jid);
    expect(await legacy.call("unfail", 50, "p", "group", 5)).toBe(5);
    expect(await legacy.json("failed", 50)).toEqual({ group: 25 });
    await legacy.popped(50, "p", "w", all.slice(0, 5));
    expect(await legacy.call("unfail", 51, "p", "group")).toBe(25);
    expect(await legacy.json("failed", 51)).toEqual({});
    await legacy.popped(51, "p", "w", all.slice(5), 100);
  });

  test("gives back all retries and knows the queue", async () => {
    await legacy.put(0, "q", "a", "retries", 3);
    await legacy.pop(0, "q", "w");
    await legacy.call("retry", 0, "a", "q", "w", 0);
    await legacy.pop(0, "q", "w");
    await legacy.fail(0, "a", "w");
    await legacy.call("unfail", 1, "p", "group", 25);
    const job = await legacy.job(1, "a");
    expect(job).toMatchObject({ state: "waiting", queue: "p", worker: "", expires: 0 });
    expect(job).toMatchObject({ retries: 3, remaining: 3 });
    expect(job.history.at(-1)).toEqual({ what: "put", q: "p", when: 1 });
    expect(await legacy.counts(1, "p")).toMatchObject({ waiting: 1 });
    const queues = await legacy.json<{ name: string }[]>("queues", 1);
    expect(queues.map(({ name }) => name)).toEqual(["q", "p"]);
  });

  test("takes five hundred at once, as the clients ask", async () => {
    const all = jids(200);
    for (const jid of all) await legacy.put(0, "q", jid);
    await legacy.pop(0, "q", "w", 200);
    for (const jid of all) await legacy.fail(1, jid, "w");
    expect(await legacy.call("unfail", 2, "q", "group", 500)).toBe(200);
    expect(await legacy.counts(2, "q")).toMatchObject({ waiting: 200 });
  });

  test("of none, or of a group there is not, does nothing", async () => {
    await failed(0, "a");
    expect(await legacy.call("unfail", 1, "q", "group", 0)).toBe(0);
    expect(await legacy.call("unfail", 1, "q", "nothing", 10)).toBe(0);
    expect(await legacy.json("failed", 1)).toEqual({ group: 1 });
  });

  test("is refused without a queue or group, or with a count that is no number", async () => {
    await legacy.refused(legacy.call("unfail", 0), /\(\): .*queue/);
    await legacy.refused(legacy.call("unfail", 0, "q"), /^Unfail\(\): Arg "group" missing/);
    await legacy.refused(
      legacy.call("unfail", 0, "q", "group", "foo"),
      /^Unfail\(\): Arg "count" not a number: foo/,
    );
  });
});
