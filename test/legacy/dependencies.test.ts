import { describe, expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();
const on = (...dependencies: string[]) => ["depends", JSON.stringify(dependencies)];

describe("a job that depends on others", () => {
  test("is handed out when the other is complete", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b", ...on("a"));
    expect(await legacy.job(0, "b")).toMatchObject({ state: "depends", dependencies: ["a"] });
    expect(await legacy.job(0, "a")).toMatchObject({ state: "waiting", dependents: ["b"] });
    await legacy.popped(1, "q", "w", ["a"]);
    await legacy.complete(2, "a", "w", "q");
    expect(await legacy.job(2, "b")).toMatchObject({ state: "waiting", dependencies: [] });
    expect((await legacy.job(2, "a")).dependents).toEqual([]);
    await legacy.popped(3, "q", "w", ["b"]);
  });

  test("is handed out only when all others are complete", async () => {
    const all = jids(10);
    for (const jid of all) await legacy.put(0, "q", jid);
    await legacy.put(1, "q", "last", ...on(...all));
    await legacy.popped(2, "q", "w", all, 20);
    for (const jid of all) {
      expect(await legacy.state(3, "last")).toBe("depends");
      await legacy.popped(3, "q", "w", []);
      await legacy.complete(3, jid, "w", "q");
    }
    await legacy.popped(4, "q", "w", ["last"]);
  });

  test("may be one of a chain", async () => {
    const all = jids(10);
    for (const [i, jid] of all.entries()) {
      await legacy.put(i, "q", jid, ...(i === 0 ? [] : on(all[i - 1]!)));
    }
    for (const jid of all) {
      await legacy.popped(10, "q", "w", [jid]);
      await legacy.complete(10, jid, "w", "q");
    }
  });

  test("waits on while the other only advances", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b", ...on("a"));
    for (let i = 0; i < 3; i++) {
      await legacy.popped(1, "q", "w", ["a"]);
      await legacy.complete(1, "a", "w", "q", "next", "q");
    }
    await legacy.popped(1, "q", "w", ["a"]);
    await legacy.complete(1, "a", "w", "q");
    await legacy.popped(1, "q", "w", ["b"]);
  });

  test("waits on while the other fails and is put again", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b", ...on("a"));
    await legacy.pop(0, "q", "w");
    await legacy.fail(0, "a", "w");
    await legacy.popped(0, "q", "w", []);
    await legacy.put(1, "q", "a");
    await legacy.popped(1, "q", "w", ["a"]);
    await legacy.complete(1, "a", "w", "q");
    await legacy.popped(1, "q", "w", ["b"]);
  });

  test("keeps its priority when it is let go", async () => {
    await legacy.put(0, "q", "a", "priority", -9);
    await legacy.put(0, "q", "b", "priority", -5, ...on("a"));
    await legacy.put(0, "q", "c");
    await legacy.popped(0, "q", "w", ["a"], 1);
    await legacy.complete(1, "a", "w", "q");
    await legacy.popped(1, "q", "w", ["b", "c"]);
  });

  test("may wait in another queue than the one it waits for", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "p", "b", ...on("a"));
    await legacy.pop(0, "q", "w");
    await legacy.complete(1, "a", "w", "q");
    await legacy.popped(1, "p", "w", ["b"]);
  });

  test("can be many for one, and all are let go", async () => {
    await legacy.put(0, "q", "a");
    const all = jids(50);
    for (const jid of all) await legacy.put(0, "q", jid, ...on("a"));
    expect((await legacy.job(0, "a")).dependents.toSorted()).toEqual(all);
    await legacy.pop(0, "q", "w");
    await legacy.complete(1, "a", "w", "q");
    await legacy.popped(1, "q", "w", all, 100);
  });
});

describe("a job with more dependents than one completion releases", () => {
  async function completed(count: number, queue: string): Promise<string[]> {
    await legacy.put(0, "q", "a");
    const all = jids(count);
    for (let i = 0; i < count; i += 500) {
      const some = all.slice(i, i + 500);
      await Promise.all(some.map((jid) => legacy.put(0, queue, jid, ...on("a"))));
    }
    await legacy.popped(0, "q", "w", ["a"], 1);
    await legacy.complete(1, "a", "w", "q");
    return all;
  }

  test.each([600, 1200, 5000])("lets all %i go by ordinary pops", async (count) => {
    const all = await completed(count, "q");
    const taken: string[] = [];
    for (let pops = 0; pops < count / 100; pops++) {
      const jobs = await legacy.pop(2, "q", "w", 100);
      expect(jobs).toHaveLength(100);
      taken.push(...jobs.map(({ jid }) => jid));
    }
    expect(taken.toSorted()).toEqual(all);
    await legacy.popped(3, "q", "w", []);
    expect(await legacy.sizes("q")).toMatchObject({ depends: 0 });
  });

  test.each(["pop", "peek", "queues", "jobs"])("lets them go by %s elsewhere", async (name) => {
    await completed(1200, "p");
    const look: Record<string, (string | number)[]> = {
      pop: ["q", "w", 1],
      peek: ["elsewhere", 1],
      queues: [],
      jobs: ["scheduled", "elsewhere"],
    };
    for (let calls = 0; calls < 2; calls++) await legacy.call(name, 2, ...look[name]!);
    expect(await legacy.sizes("p")).toMatchObject({ work: 1200, depends: 0 });
  });
});

describe("dependencies that are satisfied", () => {
  test("are those that do not exist, were canceled, or are complete", async () => {
    await legacy.put(0, "q", "complete");
    await legacy.put(0, "q", "canceled");
    await legacy.pop(0, "q", "w");
    await legacy.complete(0, "complete", "w", "q");
    await legacy.call("cancel", 0, "canceled");
    await legacy.put(1, "q", "a", ...on("complete", "canceled", "missing"));
    expect(await legacy.job(1, "a")).toMatchObject({ state: "waiting", dependencies: [] });
    await legacy.popped(1, "q", "w", ["a"]);
  });

  test("leave the delay", async () => {
    await legacy.schedule(0, "q", "a", 10, ...on("missing"));
    expect(await legacy.state(1, "a")).toBe("scheduled");
  });

  test("do not hide those that are not", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b", ...on("missing", "a"));
    expect((await legacy.job(0, "b")).dependencies).toEqual(["a"]);
  });
});

describe("a delay", () => {
  test("is waited for after the dependency", async () => {
    await legacy.put(0, "q", "a");
    await legacy.schedule(0, "q", "b", 1000, ...on("a"));
    expect(await legacy.state(0, "b")).toBe("depends");
    await legacy.popped(1, "q", "w", ["a"]);
    await legacy.complete(2, "a", "w", "q");
    expect(await legacy.state(3, "b")).toBe("scheduled");
    expect(await legacy.peek(999, "q")).toEqual([]);
    expect(await legacy.peek(1000, "q")).toEqual(["b"]);
    expect(await legacy.state(1001, "b")).toBe("waiting");
  });

  test("that is over when the dependency completes is not waited for", async () => {
    await legacy.put(0, "q", "a");
    await legacy.schedule(0, "q", "b", 10, ...on("a"));
    await legacy.popped(50, "q", "w", ["a"]);
    await legacy.complete(50, "a", "w", "q");
    await legacy.popped(50, "q", "w", ["b"]);
  });

  test("is forgotten when the job is put without one", async () => {
    await legacy.put(0, "q", "a");
    await legacy.schedule(0, "q", "b", 1000, ...on("a"));
    await legacy.put(1, "q", "b", ...on("a"));
    await legacy.popped(2, "q", "w", ["a"]);
    await legacy.complete(2, "a", "w", "q");
    await legacy.popped(2, "q", "w", ["b"]);
  });

  test("still holds when the dependencies are taken off", async () => {
    await legacy.put(0, "q", "a");
    await legacy.schedule(0, "q", "b", 1000, ...on("a"));
    await legacy.call("depends", 1, "b", "off", "a");
    expect(await legacy.state(1, "b")).toBe("scheduled");
    expect(await legacy.peek(1000, "q")).toEqual(["a", "b"]);
  });
});

describe("put again", () => {
  test("carries the dependencies along", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b", ...on("a"));
    await legacy.put(1, "p", "b");
    expect(await legacy.job(1, "b")).toMatchObject({ state: "depends", dependencies: ["a"] });
    expect(await legacy.sizes("q")).toMatchObject({ depends: 0 });
    expect(await legacy.sizes("p")).toMatchObject({ depends: 1 });
    await legacy.pop(1, "q", "w");
    await legacy.complete(1, "a", "w", "q");
    await legacy.popped(1, "p", "w", ["b"]);
  });

  test("with an empty list changes no dependency, as both clients send it always", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b", ...on("a"));
    await legacy.put(1, "q", "b", "depends", "[]");
    expect(await legacy.job(1, "b")).toMatchObject({ state: "depends", dependencies: ["a"] });
  });

  test("with a list replaces the dependencies", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b");
    await legacy.put(0, "q", "c", ...on("a"));
    await legacy.put(1, "q", "c", ...on("b"));
    expect((await legacy.job(1, "c")).dependencies).toEqual(["b"]);
    expect((await legacy.job(1, "a")).dependents).toEqual([]);
    expect((await legacy.job(1, "b")).dependents).toEqual(["c"]);
    await legacy.pop(2, "q", "w");
    await legacy.complete(2, "a", "w", "q");
    await legacy.popped(2, "q", "w", []);
    await legacy.complete(2, "b", "w", "q");
    await legacy.popped(2, "q", "w", ["c"]);
  });

  test("may make a job that waits, runs or has failed depend", async () => {
    await legacy.put(0, "p", "a");
    await legacy.put(0, "q", "b");
    await legacy.put(1, "q", "b", ...on("a"));
    expect(await legacy.state(1, "b")).toBe("depends");
    await legacy.put(0, "q", "c");
    await legacy.pop(1, "q", "w");
    await legacy.put(2, "q", "c", ...on("a"));
    expect(await legacy.state(2, "c")).toBe("depends");
    expect(await legacy.sizes("q")).toEqual({ work: 0, locks: 0, scheduled: 0, depends: 2 });
  });
});
