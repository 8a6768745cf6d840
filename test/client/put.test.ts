import { expect, test } from "vitest";
import { Invalid, NoSuchJob } from "../../src/engine.ts";
import { everyClient } from "./every-client.ts";

everyClient("put", (open) => {
  test("puts a job into the queue named after its klass", async () => {
    const client = await open();
    const { jid, outcome } = await client.put("email.send", { to: "ada" });
    expect(outcome).toBe("created");
    expect(jid).toMatch(/^[0-9a-z]{23}$/);
    const job = await client.get(jid);
    expect(job).toMatchObject({ jid, klass: "email.send", queue: "email.send", state: "waiting" });
    expect(job!.data).toEqual({ to: "ada" });
    expect(job!.rawData).toBe('{"to":"ada"}');
  });

  test("takes all options", async () => {
    const client = await open();
    const queue = client.queue("q");
    await queue.put("k", null, { jid: "first" });
    const options = {
      jid: "second",
      priority: -2.5,
      retries: 3,
      backoff: { kind: "exponential", base: "5s", cap: "1m", jitter: 0.2 },
      tags: ["a", "b"],
      depends: ["first"],
      source: "shop",
      cutoff: "10m",
    } as const;
    await queue.put("k", [1], options);
    expect(await client.get("second")).toMatchObject({
      priority: -2.5,
      retries: 3,
      tags: ["a", "b"],
      dependencies: ["first"],
      source: "shop",
      state: "depends",
    });
  });

  test("delays a job, by a length of time", async () => {
    const client = await open();
    const { jid } = await client.put("k", {}, { delay: "1h" });
    const job = await client.get(jid);
    expect(job!.state).toBe("scheduled");
    expect(Math.abs(job!.scheduled!.getTime() - Date.now() - 3_600_000)).toBeLessThan(10_000);
  });

  test("puts the same job once for one jid", async () => {
    const client = await open();
    for (const data of [1, 2]) await client.put("k", data, { jid: "a" });
    expect(await client.queue("k").length()).toBe(1);
    expect((await client.get("a"))!.data).toBe(1);
  });

  test("keeps the order of puts that are made at once", async () => {
    const client = await open();
    const puts = Array.from({ length: 2500 }, (_, i) => client.put("k", i));
    const results = await Promise.all(puts);
    const jobs = await client.queue("k").pop({ count: 2500 });
    expect(jobs.map(({ data }) => data)).toEqual(results.map((_, i) => i));
    expect(jobs.map(({ jid }) => jid)).toEqual(results.map(({ jid }) => jid));
  });

  test("answers each of several puts for itself when one is refused", async () => {
    const client = await open();
    const [good, bad, other] = await Promise.allSettled([
      client.put("k", 1, { jid: "a" }),
      client.put("k", 2, { jid: "b", depends: ["b"] }),
      client.put("k", 3, { jid: "c" }),
    ]);
    expect(good).toMatchObject({ value: { jid: "a" } });
    expect(bad).toMatchObject({ reason: { code: "CYCLE" } });
    expect(other).toMatchObject({ value: { jid: "c" } });
    expect(await client.queue("k").jobs("waiting")).toEqual(["a", "c"]);
  });

  test("puts many jobs in one step, or none", async () => {
    const client = await open();
    const results = await client.putMany([
      { klass: "a", data: 1, jid: "one" },
      { klass: "b", data: 2, queue: "q", delay: "1h", jid: "two" },
    ]);
    expect(results).toEqual([
      { jid: "one", outcome: "created" },
      { jid: "two", outcome: "created" },
    ]);
    expect(await client.getMany(["one", "two", "three"])).toMatchObject([
      { queue: "a", state: "waiting" },
      { queue: "q", state: "scheduled" },
    ]);
    const wrong = client.queue("a").putMany([
      { klass: "a", data: 1, jid: "three" },
      { klass: "a", data: 1, jid: "four", depends: ["four"] },
    ]);
    await expect(wrong).rejects.toMatchObject({ code: "CYCLE" });
    expect(await client.getMany(["three", "four"])).toEqual([]);
    expect(await client.putMany([])).toEqual([]);
    await expect(client.putMany(5 as never)).rejects.toThrow("putMany takes a list of jobs");
  });

  test.each([
    [
      "data with a circle",
      () => {
        const circle: Record<string, unknown> = {};
        circle.self = circle;
        return circle;
      },
    ],
    ["a bigint", () => 1n],
    ["a function", () => () => 1],
  ])("refuses %s with a sentence", async (_name, data) => {
    const client = await open();
    await expect(client.put("k", data())).rejects.toThrow(/^Data of k cannot be written as JSON: /);
    expect(await client.queues()).toEqual([]);
  });

  test("refuses options that cannot be, each with a sentence of its own", async () => {
    const client = await open();
    const refused = async (options: object, sentence: RegExp) => {
      const put = client.put("k", {}, options);
      await expect(put).rejects.toThrow(sentence);
      await expect(put).rejects.toBeInstanceOf(Invalid);
    };
    await refused({ delay: "soon" }, /^delay must be milliseconds or a text/);
    await refused({ delay: null }, /^delay must be .*, not null$/);
    await refused({ delay: "36500d" }, /^delay must be at most "11574d", not "36500d"$/);
    await refused({ delay: 2e12 }, /^delay must be at most 1000000000000 ms, not 2000000000000$/);
    await refused({ cutoff: "40000d" }, /^cutoff must be at most "11574d", not "40000d"$/);
    await refused({ unique: { key: "u", for: "40000d" } }, /^unique.for must be at most "11574d"/);
    await refused(
      { at: "soon" },
      /^at must be a date and time from 1970 on, such as .* not "soon"$/,
    );
    await refused({ at: Number.NaN }, /^at must be a Date, milliseconds since 1970/);
    await refused({ at: 5e12 }, /^at must be before 2109-05-15$/);
    const backoff = { kind: "fixed", base: "1s" };
    await refused({ backoff: { ...backoff, base: "40000d" } }, /^backoff.base must be at most/);
    await refused(
      { backoff: { ...backoff, jitter: 2 } },
      /^backoff.jitter must be from 0 to 1, not 2/,
    );
    await refused({ backoff: { ...backoff, kind: "often" } }, /^backoff.kind must be one of fixed/);
    await refused({ delay: 1, at: 1 }, /^Use delay or at, not both$/);
    await refused({ jid: "" }, /"jid" must be 1 to 255 bytes/);
    await refused({ priority: Number.NaN }, /finite number/);
    await refused({ backoff: "often" }, /"backoff" must be/);
    expect(await client.queues()).toEqual([]);
  });

  test("carries data of undefined as null", async () => {
    const client = await open();
    const { jid } = await client.put("k", undefined);
    expect((await client.get(jid))!.data).toBeNull();
  });

  test("says of a job that does not exist that it does not", async () => {
    const client = await open();
    expect(await client.get("nobody")).toBeUndefined();
    const explained = client.explain("nobody");
    await expect(explained).rejects.toBeInstanceOf(NoSuchJob);
    await expect(explained).rejects.toMatchObject({ code: "NO_SUCH_JOB" });
  });
});
