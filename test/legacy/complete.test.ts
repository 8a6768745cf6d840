import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();

async function running(jid = "a"): Promise<void> {
  await legacy.put(0, "q", jid);
  await legacy.popped(1, "q", "w", [jid]);
}

describe("complete", () => {
  test("ends a job", async () => {
    await running();
    expect(await legacy.call("complete", 2, "a", "w", "q", '{"n":1}')).toBe("complete");
    expect(await legacy.job(3, "a")).toMatchObject({
      state: "complete",
      queue: "",
      worker: "",
      expires: 0,
      retries: 5,
      remaining: 5,
      data: '{"n":1}',
      failure: {},
      history: [
        { what: "put", q: "q", when: 0 },
        { what: "popped", worker: "w", when: 1 },
        { what: "done", when: 2 },
      ],
    });
    expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 0, scheduled: 0, depends: 0 });
    expect(await legacy.call("jobs", 3, "complete")).toEqual(["a"]);
    expect(await legacy.redis.zrange("ql:completed", "0", "-1")).toEqual(["a"]);
  });

  test("is accepted after the lock expired, as long as nobody took the job", async () => {
    await running();
    expect(await legacy.complete(5000, "a", "w", "q")).toBe("complete");
  });

  test("is refused in every state but running, and the sentence says which", async () => {
    await legacy.put(0, "q", "waits");
    await legacy.schedule(0, "q", "scheduled", 100);
    await legacy.put(0, "q", "depends", "depends", '["waits"]');
    await legacy.put(0, "p", "failed");
    await legacy.put(0, "p", "complete");
    await legacy.pop(0, "p", "w");
    await legacy.fail(0, "failed", "w");
    await legacy.complete(0, "complete", "w", "p");
    for (const [jid, state] of [
      ["waits", "waiting"],
      ["scheduled", "scheduled"],
      ["depends", "depends"],
      ["failed", "failed"],
      ["complete", "complete"],
    ] as const) {
      const sentence = `Complete(): Job ${jid} is not currently running: ${state}`;
      await legacy.refusedWhole(() => legacy.complete(1, jid, "w", "q"), sentence);
    }
  });

  test("is refused for missing jobs, to other workers, and from other queues", async () => {
    await legacy.refusedWhole(
      () => legacy.complete(0, "a", "w", "q"),
      "Complete(): Job a does not exist",
    );
    await running();
    await legacy.refusedWhole(
      () => legacy.complete(2, "a", "other", "q"),
      "Complete(): Job a has been handed out to another worker: w",
    );
    await legacy.refusedWhole(
      () => legacy.complete(2, "a", "w", "p"),
      "Complete(): Job a running in another queue: q",
    );
  });

  test("is refused with options that do not fit together", async () => {
    await running();
    await legacy.put(2, "q", "b");
    const bad: [options: (string | number)[], sentence: RegExp][] = [
      [["next"], /^Complete\(\): /],
      [["delay"], /^Complete\(\): /],
      [["depends"], /^Complete\(\): /],
      [["next", "p", "delay"], /^Complete\(\): /],
      [["delay", 5], /^Complete\(\): "delay" cannot be used without a "next"\.$/],
      [["depends", '["b"]'], /^Complete\(\): "depends" cannot be used without a "next"\.$/],
      [["next", "p", "delay", "foo"], /^Complete\(\): Arg "delay" not a number: foo/],
      [["next", "p", "depends", "[}"], /^Complete\(\): Arg "depends" not JSON/],
      [["next", "p", "depends", '["a"]'], /^Complete\(\): .*depend on itself/],
      [["next", "p", "nonsense", "1"], /^Complete\(\): /],
    ];
    for (const [options, sentence] of bad) {
      await legacy.refusedWhole(() => legacy.complete(3, "a", "w", "q", ...options), sentence);
    }
    await legacy.refusedWhole(
      () => legacy.call("complete", 3, "a", "w", "q", "[}"),
      /^Complete\(\): Arg "data"/,
    );
    await legacy.refusedWhole(() => legacy.call("complete", 3, "a", "w", "q"), /^Complete\(\): /);
    await legacy.refusedWhole(() => legacy.call("complete", 3, "a", "w"), /^Complete\(\): /);
    await legacy.refusedWhole(() => legacy.call("complete", 3, "a"), /^Complete\(\): /);
    await legacy.refusedWhole(() => legacy.call("complete", 3), /\(\): /);
  });
});

describe("complete with next", () => {
  test("hands the job on to another queue", async () => {
    await running();
    const args = ["a", "w", "q", '{"n":1}', "next", "p", "delay", 0, "depends", "[]"];
    expect(await legacy.call("complete", 2, ...args)).toBe("waiting");
    expect(await legacy.job(2, "a")).toMatchObject({
      state: "waiting",
      queue: "p",
      worker: "",
      expires: 0,
      remaining: 5,
      data: '{"n":1}',
      history: [
        { what: "put", q: "q", when: 0 },
        { what: "popped", worker: "w", when: 1 },
        { what: "done", when: 2 },
        { what: "put", q: "p", when: 2 },
      ],
    });
    expect(await legacy.json("workers", 2, "w")).toEqual({ jobs: [], stalled: [] });
    expect(await legacy.call("jobs", 2, "complete")).toEqual([]);
    await legacy.popped(2, "q", "w", []);
    await legacy.popped(2, "p", "w", ["a"]);
  });

  test("may name the same queue, and the job goes behind those that wait", async () => {
    await running();
    await legacy.put(1, "q", "b");
    expect(await legacy.complete(2, "a", "w", "q", "next", "q")).toBe("waiting");
    await legacy.popped(2, "q", "w", ["b", "a"]);
  });

  test("takes its options in any order", async () => {
    await running();
    const options = ["depends", "[]", "delay", 0, "next", "p"];
    expect(await legacy.complete(2, "a", "w", "q", ...options)).toBe("waiting");
  });

  test("forgets a failure that was recorded with a retry", async () => {
    await running();
    await legacy.call("retry", 1, "a", "q", "w", 0, "group", "message");
    await legacy.pop(1, "q", "w");
    await legacy.complete(2, "a", "w", "q", "next", "p");
    expect((await legacy.job(2, "a")).failure).toEqual({});
  });

  test("and a delay schedules the job there", async () => {
    await running();
    expect(await legacy.complete(2, "a", "w", "q", "next", "p", "delay", 10)).toBe("scheduled");
    expect(await legacy.job(2, "a")).toMatchObject({ state: "scheduled", queue: "p" });
    expect(await legacy.sizes("p")).toEqual({ work: 0, locks: 0, scheduled: 1, depends: 0 });
    await legacy.popped(11.9, "p", "w", []);
    await legacy.popped(12, "p", "w", ["a"]);
  });

  test("and dependencies makes the job wait for them", async () => {
    await running();
    await legacy.put(1, "q", "b");
    expect(await legacy.complete(2, "a", "w", "q", "next", "p", "depends", '["b"]')).toBe(
      "depends",
    );
    expect(await legacy.job(2, "a")).toMatchObject({
      state: "depends",
      queue: "p",
      dependencies: ["b"],
    });
    expect((await legacy.job(2, "b")).dependents).toEqual(["a"]);
    await legacy.popped(3, "q", "w", ["b"]);
    await legacy.complete(4, "b", "w", "q");
    expect(await legacy.state(4, "a")).toBe("waiting");
    await legacy.popped(4, "p", "w", ["a"]);
  });

  test("and dependencies that are satisfied does not wait, but for the delay", async () => {
    await running();
    await running("b");
    const satisfied = ["next", "p", "depends", '["missing"]'];
    expect(await legacy.complete(2, "a", "w", "q", ...satisfied)).toBe("waiting");
    expect(await legacy.complete(2, "b", "w", "q", ...satisfied, "delay", 10)).toBe("scheduled");
    await legacy.popped(2, "p", "w", ["a"]);
    await legacy.popped(12, "p", "w", ["b"]);
  });

  test("and both makes the job wait for the later of the two", async () => {
    await running();
    await legacy.put(1, "q", "b");
    const options = ["next", "p", "depends", '["b"]', "delay", 10];
    expect(await legacy.complete(2, "a", "w", "q", ...options)).toBe("depends");
    await legacy.popped(5, "q", "w", ["b"]);
    await legacy.complete(6, "b", "w", "q");
    expect(await legacy.state(7, "a")).toBe("scheduled");
    expect(await legacy.peek(11, "p")).toEqual([]);
    expect(await legacy.peek(13, "p")).toEqual(["a"]);
    expect(await legacy.state(14, "a")).toBe("waiting");
  });

  test("and a delay that is over when the dependency completes makes the job wait no more", async () => {
    await running();
    await legacy.put(1, "q", "b");
    await legacy.complete(2, "a", "w", "q", "next", "p", "depends", '["b"]', "delay", 10);
    await legacy.popped(50, "q", "w", ["b"]);
    await legacy.complete(50, "b", "w", "q");
    await legacy.popped(50, "p", "w", ["a"]);
  });
});
