import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();
const track = (jid = "a") => legacy.call("track", 0, "track", jid);
const lost = { event: "lock_lost", jid: "a", worker: "w" };

async function given(...options: (string | number)[]): Promise<void> {
  await legacy.put(0, "q", "a", ...options);
  await legacy.popped(0, "q", "w", ["a"]);
}

describe("pop", () => {
  test("of jobs that nobody tracks tells nothing", async () => {
    await legacy.put(0, "q", "a");
    expect(await legacy.hearing(() => legacy.pop(0, "q", "w"))).toEqual([]);
  });

  test("of a tracked job tells those who watch", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b");
    await track();
    expect(await legacy.hearing(() => legacy.pop(0, "q", "w"))).toEqual([["ql:popped", "a"]]);
  });

  test("warns of a lost lock", async () => {
    await given();
    expect(await legacy.hearingEvents(() => legacy.pop(70, "q", "other"))).toEqual([
      ["ql:w:w", lost],
      ["ql:log", lost],
    ]);
    expect(await legacy.hearing(() => legacy.pop(80, "q", "other"))).toEqual([]);
  });

  test("warns of a tracked job's lost lock those who watch before its worker", async () => {
    await given();
    await track();
    expect(await legacy.hearingEvents(() => legacy.pop(70, "q", "other"))).toEqual([
      ["ql:stalled", "a"],
      ["ql:w:w", lost],
      ["ql:log", lost],
    ]);
    expect(await legacy.hearing(() => legacy.pop(80, "q", "other"))).toEqual([["ql:popped", "a"]]);
  });

  test("without a grace period tells of the loss and of the pop in one go", async () => {
    await legacy.call("config.set", 0, "grace-period", 0);
    await given();
    await track();
    expect(await legacy.hearingEvents(() => legacy.pop(70, "q", "other"))).toEqual([
      ["ql:stalled", "a"],
      ["ql:w:w", lost],
      ["ql:log", lost],
      ["ql:popped", "a"],
    ]);
  });

  const exhausted = {
    event: "failed",
    jid: "a",
    worker: "w",
    group: "failed-retries-q",
    message: 'Job exhausted retries in queue "q"',
  };

  test("tells that a job's retries are exhausted", async () => {
    await legacy.call("config.set", 0, "grace-period", 0);
    await given("retries", 0);
    expect(await legacy.hearingEvents(() => legacy.pop(70, "q", "other"))).toEqual([
      ["ql:w:w", lost],
      ["ql:log", lost],
      ["ql:log", exhausted],
    ]);
  });

  test("tells those who watch of exhausted retries before the log", async () => {
    await legacy.call("config.set", 0, "grace-period", 0);
    await given("retries", 0);
    await track();
    expect(await legacy.hearingEvents(() => legacy.pop(70, "q", "other"))).toEqual([
      ["ql:stalled", "a"],
      ["ql:w:w", lost],
      ["ql:log", lost],
      ["ql:failed", "a"],
      ["ql:log", exhausted],
    ]);
  });
});

describe("timeout", () => {
  test("tells the worker, then the log", async () => {
    await given();
    expect(await legacy.hearingEvents(() => legacy.call("timeout", 1, "a"))).toEqual([
      ["ql:w:w", lost],
      ["ql:log", lost],
    ]);
  });

  test("of a tracked job tells those who watch that it stalled", async () => {
    await given();
    await track();
    expect(await legacy.hearingEvents(() => legacy.call("timeout", 1, "a"))).toEqual([
      ["ql:stalled", "a"],
      ["ql:w:w", lost],
      ["ql:log", lost],
    ]);
  });
});
