import { describe, expect, test } from "vitest";
import { jids, useLegacy } from "./client.ts";

const legacy = useLegacy();
const on = (...dependencies: string[]) => ["depends", JSON.stringify(dependencies)];

describe("depends", () => {
  test("adds dependencies to a job that has some", async () => {
    for (const jid of ["a", "b", "c"]) await legacy.put(0, "q", jid);
    await legacy.put(0, "q", "d", ...on("a"));
    expect(await legacy.call("depends", 1, "d", "on", "b", "c", "missing")).toBe(1);
    expect((await legacy.job(1, "d")).dependencies.toSorted()).toEqual(["a", "b", "c"]);
    expect((await legacy.job(1, "b")).dependents).toEqual(["d"]);
  });

  test("takes dependencies off, one by one", async () => {
    const all = jids(5);
    for (const jid of all) await legacy.put(0, "q", jid);
    await legacy.put(0, "q", "last", ...on(...all));
    for (const jid of all) {
      expect(await legacy.state(1, "last")).toBe("depends");
      expect(await legacy.call("depends", 1, "last", "off", jid)).toBe(1);
      expect((await legacy.job(1, jid)).dependents).toEqual([]);
    }
    expect(await legacy.state(1, "last")).toBe("waiting");
    await legacy.popped(1, "q", "w", [...all, "last"]);
  });

  test("takes all dependencies off", async () => {
    for (const jid of ["a", "b"]) await legacy.put(0, "q", jid);
    await legacy.put(0, "q", "c", ...on("a", "b"));
    expect(await legacy.call("depends", 1, "c", "off", "all")).toBe(1);
    expect(await legacy.job(1, "c")).toMatchObject({ state: "waiting", dependencies: [] });
    expect((await legacy.job(1, "a")).dependents).toEqual([]);
    expect(await legacy.sizes("q")).toEqual({ work: 3, locks: 0, scheduled: 0, depends: 0 });
  });

  test("takes off what is no dependency without harm", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b", ...on("a"));
    expect(await legacy.call("depends", 1, "b", "off", "missing")).toBe(1);
    expect(await legacy.state(1, "b")).toBe("depends");
  });

  test("is refused for jobs that depend on nothing, whatever their state", async () => {
    await legacy.put(0, "q", "waiting");
    await legacy.schedule(0, "q", "scheduled", 10);
    await legacy.put(0, "p", "running");
    await legacy.put(0, "p", "failed");
    await legacy.put(0, "p", "complete");
    await legacy.pop(0, "p", "w");
    await legacy.fail(0, "failed", "w");
    await legacy.complete(0, "complete", "w", "p");
    for (const state of ["waiting", "scheduled", "running", "failed", "complete"]) {
      for (const way of ["on", "off"]) {
        await legacy.refusedWhole(
          () => legacy.call("depends", 1, state, way, "a"),
          `Depends(): Job ${state} not in the depends state: ${state}`,
        );
      }
    }
    await legacy.refused(legacy.call("depends", 1, "no", "on", "a"), /not in the depends state/);
    await legacy.refused(legacy.call("depends", 1, "no", "off", "all"), /not in the depends state/);
  });

  test("is refused without on or off", async () => {
    await legacy.put(0, "q", "a");
    await legacy.put(0, "q", "b", ...on("a"));
    await legacy.refusedWhole(() => legacy.call("depends", 0), /\(\): .*jid/);
    await legacy.refusedWhole(
      () => legacy.call("depends", 0, "b"),
      /^Depends\(\): Arg "command" missing/,
    );
    await legacy.refusedWhole(
      () => legacy.call("depends", 0, "b", "foo", "a"),
      'Depends(): Argument "command" must be "on" or "off"',
    );
  });
});

test("a job cannot depend on itself, nor in a circle", async () => {
  await legacy.refusedWhole(() => legacy.put(0, "q", "a", ...on("a")), /^Put\(\): /);
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b", ...on("a"));
  await legacy.put(0, "q", "c", ...on("b"));
  await legacy.refusedWhole(() => legacy.put(0, "q", "a", ...on("c")), /^Put\(\): /);
  await legacy.refusedWhole(() => legacy.call("depends", 0, "b", "on", "c"), /^Depends\(\): /);
});
