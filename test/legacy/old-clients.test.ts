import { describe, expect, test } from "vitest";
import { lua, useLegacy } from "./client.ts";

/** Calls that clients of qless-core make and that the commands alone would refuse. */

const legacy = useLegacy();

test("a count of 0 means all for jobs of every state that is listed by count", async () => {
  for (let i = 0; i < 30; i++) await legacy.put(1, "q", `a${i}`);
  await legacy.pop(1, "q", "w", 30);
  for (let i = 0; i < 30; i++) await legacy.complete(2, `a${i}`, "w", "q");
  for (let i = 0; i < 30; i++) {
    await legacy.schedule(3, "q", `s${i}`, 100);
    await legacy.put(3, "q", `d${i}`, "depends", '["s0"]');
    await legacy.recur(3, "q", `r${i}`, 60, 60);
  }
  expect(await legacy.call("jobs", 4, "complete", 0, 0)).toHaveLength(30);
  for (const state of ["scheduled", "depends", "recurring"]) {
    expect(await legacy.call("jobs", 4, state, "q", 0, 0), state).toHaveLength(30);
  }
});

test("put and requeue take an empty worker, as a move of a job that is not running sends it", async () => {
  await legacy.call("put", 1, "", "q", "a", "klass", "{}", 0);
  await legacy.call("requeue", 2, "", "other", "a", "klass", "{}", 0);
  expect(await legacy.job(3, "a")).toMatchObject({ queue: "other", state: "waiting" });
  await legacy.popped(4, "other", "w", ["a"]);
  const heard = await legacy.hearingEvents(() =>
    legacy.call("put", 5, "", "q", "a", "klass", "{}", 0),
  );
  expect(heard).toContainEqual(["ql:w:w", expect.objectContaining({ event: "lock_lost" })]);
  await legacy.refused(legacy.call("put", 5, "w\n", "q", "a", "klass", "{}", 0), /^Put\(\): /);
});

test("there is no job of an empty jid", async () => {
  await legacy.put(1, "q", "a");
  expect(await legacy.call("get", 1, "")).toBeNull();
  expect(await legacy.call("recur.get", 1, "")).toBeNull();
  expect(await legacy.json("multiget", 1, "", "a", "")).toMatchObject([{ jid: "a" }]);
});

describe("a group of failures that is no name", () => {
  test.each([
    ["has line breaks", "Boom: no\nhost\r\n", "Boom: no host  "],
    ["is too long", "x".repeat(300), "x".repeat(255)],
    ["would be cut within a character", `${"x".repeat(254)}é`, "x".repeat(254)],
    ["would be cut behind a character", `${"x".repeat(252)}€€`, `${"x".repeat(252)}€`],
  ])("is cut and cleaned where it %s", async (_what, given, kept) => {
    await legacy.put(1, "q", "a", "retries", 0);
    await legacy.popped(1, "q", "w", ["a"]);
    await legacy.fail(2, "a", "w", given);
    expect(await legacy.job(3, "a")).toMatchObject({ state: "failed", failure: { group: kept } });
    expect(await legacy.json("failed", 3)).toEqual({ [kept]: 1 });
    await legacy.put(4, "q", "b", "retries", 0);
    await legacy.popped(4, "q", "w", ["b"]);
    await legacy.call("retry", 5, "b", "q", "w", 0, given, "message");
    expect(await legacy.job(6, "b")).toMatchObject({ state: "failed" });
  });
});

test("control characters of U+0080 and above stay allowed, so that old jobs can be reached", async () => {
  await legacy.put(1, "q", "a\u0085b");
  expect(await legacy.state(1, "a\u0085b")).toBe("waiting");
});

describe("a script behind the library", () => {
  const lib = lua("qless-lib.lua");
  const refusedWith = async (script: string, sentence: string) => {
    const call = legacy.redis.eval(`${lib}\n${script}`, 0);
    const error = await call.then(
      (reply) => expect.fail(`answered ${JSON.stringify(reply)}`),
      (thrown: Error) => thrown.message,
    );
    expect(error.replace(/ script: .*$/, "")).toBe(sentence);
    expect(await legacy.redis.keys("*")).toEqual([]);
  };

  test.each([
    ["nil", "nil"],
    ["false", "boolean"],
    ["{}", "table"],
  ])("is told which argument is %s", async (given, kind) => {
    await refusedWith(
      `qless("ql").put("", "w", "q", ${given}, "klass", "{}", 0)`,
      `BAD_ARGUMENT Arg "jid" of put must be a text or a number, not ${kind}`,
    );
    await refusedWith(
      `qless("ql").length(${given}, "q")`,
      `BAD_ARGUMENT Arg "now" of length must be a text or a number, not ${kind}`,
    );
  });

  test.each([
    ["nil", "nil"],
    ["3", "number"],
  ])("needs a namespace that is not %s", (given, kind) =>
    refusedWith(
      `qless(${given}).length("", "q")`,
      `BAD_ARGUMENT qless() needs the namespace as a text, such as qless(KEYS[1]): got ${kind}`,
    ),
  );

  test("cannot put data that is not JSON", async () => {
    await refusedWith(
      'qless("ql").put("", "w", "q", "a", "klass", "{", 0)',
      'BAD_ARGUMENT Arg "data" missing or not JSON: {',
    );
    await refusedWith(
      'qless("ql").put_many("", "w", "q", "a", "klass", "{}", 0, 2, "priority", 1, "q", "b", "klass", "{", 0, 0)',
      "BAD_ARGUMENT The data of job b is not JSON: {",
    );
    await refusedWith(
      'qless("ql").put_many("", "w", "q", "a", "klass", "{}", 0, 0, "\\t", "b", "no")',
      "BAD_ARGUMENT The data of job b is not JSON: no",
    );
  });
});
