import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";
import { bring, outcome } from "./behaviour.ts";

const failures = async (bench: Bench) => {
  const { failure, first_failure: first } = await bench.json("get", "a");
  return [first, failure];
};
const FIRST = { group: "dns", message: "no such host", when: 1_000_000, worker: "w" };

/** A job that is waiting again, and had its first failure at 1,000,000. */
async function failedOnce(bench: Bench, options: { retries?: number } = {}): Promise<void> {
  await bench.put("q", "a", options);
  await bench.pop("q", "w");
  await bench.call("retry", "a", "q", "w", 0, "dns", "no such host");
  bench.later(10);
}

everyEngine("the first failure", (open) => {
  test("is the last one as long as there is but one, and none before", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await failures(bench)).toEqual([{}, {}]);
    await bench.pop("q", "w");
    await bench.call("retry", "a", "q", "w", 0, "dns", "no such host");
    expect(await failures(bench)).toEqual([FIRST, FIRST]);
  });

  test("stays what it was when the job is tried again, and when it fails", async () => {
    const bench = await open();
    await failedOnce(bench);
    await bench.pop("q", "v");
    await bench.call("retry", "a", "q", "v", 0, "smtp", "no route");
    const second = { group: "smtp", message: "no route", when: 1_000_010, worker: "v" };
    expect(await failures(bench)).toEqual([FIRST, second]);
    await bench.later(10).pop("q", "v");
    await bench.call("fail", "a", "v", "gave-up", "");
    const third = { group: "gave-up", message: "", when: 1_000_020, worker: "v" };
    expect(await failures(bench)).toEqual([FIRST, third]);
  });

  test("is told by every command that shows jobs", async () => {
    const bench = await open();
    await failedOnce(bench);
    await bench.call("track", "track", "a");
    expect((await bench.json("multiget", "a"))[0].first_failure).toEqual(FIRST);
    expect((await bench.json("peek", "q", 1))[0].first_failure).toEqual(FIRST);
    expect((await bench.json("track")).jobs[0].first_failure).toEqual(FIRST);
  });

  test("is that of a run which fails at once", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("fail", "a", "w", "dns", "no such host");
    expect(await failures(bench)).toEqual([FIRST, FIRST]);
  });

  test("is kept by finish as by the single commands", async () => {
    const bench = await open();
    await bring(bench, "running");
    const dns = outcome("retry", "a", { group: "dns", message: "no such host" });
    await bench.call("finish", "w", 1, '["q"]', ...dns);
    const smtp = outcome("fail", "a", { group: "smtp", message: "no route" });
    await bench.later(5).call("finish", "w", 0, "[]", ...smtp);
    expect(await failures(bench)).toMatchObject([FIRST, { group: "smtp", when: 1_000_005 }]);
  });

  test("outlives tries that say nothing of a failure, and the want of a retry", async () => {
    const bench = await open();
    await failedOnce(bench, { retries: 2 });
    for (const left of [0, -1]) {
      await bench.pop("q", "v");
      expect(await bench.call("retry", "a", "q", "v")).toBe(left);
    }
    expect(await failures(bench)).toMatchObject([FIRST, { group: "failed-retries-q" }]);
  });

  test("outlives workers that are gone, until the job is among the crashed", async () => {
    const bench = await open();
    await failedOnce(bench, { retries: 1 });
    await bench.pop("q", "v");
    await bench.later(60).call("tick");
    await bench.later(10).call("tick");
    expect(await failures(bench)).toMatchObject([FIRST, { group: "crashed", worker: "v" }]);
  });

  test.each([
    ["a worker that is gone", 0, "crashed"],
    ["a cutoff", 20, "failed-retries-q"],
  ])("is that of %s, if there was none before", async (_, cutoff, group) => {
    const bench = await open();
    await bench.put("q", "a", { retries: 0, cutoff });
    await bench.pop("q", "w");
    await bench.later(60).call("tick");
    await bench.later(10).call("tick");
    const [first, last] = await failures(bench);
    expect(first).toMatchObject({ group, worker: "w" });
    expect(first).toEqual(last);
  });

  const AGAIN: [string, (bench: Bench) => Promise<unknown>][] = [
    ["put", (bench) => bench.put("q", "a")],
    ["requeued", (bench) => bench.call("requeue", "w", "q", "a", "klass", "{}", 0)],
    ["moved", (bench) => bench.call("move", "q", "a")],
    ["unfailed", (bench) => bench.call("unfail", "q", "smtp")],
  ];

  test.each(AGAIN)("is forgotten when a failed job is %s, and the last is not", async (_, act) => {
    const bench = await open();
    await failedOnce(bench);
    await bench.pop("q", "w");
    await bench.call("fail", "a", "w", "smtp", "no route");
    await act(bench);
    expect(await failures(bench)).toMatchObject([{}, { group: "smtp" }]);
    expect((await bench.json("get", "a")).first_failure).toEqual({});
    await bench.later(5).pop("q", "v");
    await bench.call("retry", "a", "q", "v", 0, "tls", "expired");
    const next = { group: "tls", message: "expired", when: 1_000_015, worker: "v" };
    expect(await failures(bench)).toEqual([next, next]);
  });

  test.each([
    ["complete", []],
    ["done with one queue and goes on to another", ["next", "r"]],
  ])("is forgotten when the job is %s", async (_, options) => {
    const bench = await open();
    await failedOnce(bench);
    await bench.pop("q", "w");
    await bench.call("complete", "a", "w", "q", "{}", ...options);
    expect(await failures(bench)).toEqual([{}, {}]);
  });

  test("is not known before a failure has both a group and a message", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("retry", "a", "q", "w", 0, "dns");
    expect(await failures(bench)).toEqual([{}, {}]);
  });

  test("keeps its message to the byte, however long", async () => {
    const bench = await open();
    const message = `é\n\t"\\${"x".repeat(100_000)}`;
    await bring(bench, "running");
    await bench.call("retry", "a", "q", "w", 0, "gruppe é", message);
    await bench.pop("q", "w");
    await bench.call("fail", "a", "w", "group", "other");
    expect((await bench.json("get", "a")).first_failure).toMatchObject({
      group: "gruppe é",
      message,
    });
  });
});
