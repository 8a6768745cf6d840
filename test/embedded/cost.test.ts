import { expect, test } from "vitest";
import { commands } from "../../src/core/commands/index.ts";
import { perform } from "../../src/core/dispatch.ts";
import type { Store } from "../../src/core/store.ts";
import { type PoppedJob, popped } from "../engines.ts";
import { freshStore } from "./support.ts";

/**
 * What a command asks of its store, by method: a guard of the benchmark's figures that does not depend
 * on the clock, for the engine that nobody else counts for. Whoever makes a command cheaper lowers
 * these numbers.
 */

/** The store, and how often each of its methods was called since it was last asked. */
function counted(store: Store): { store: Store; calls(): Record<string, number> } {
  let calls: Record<string, number> = {};
  const counting = new Proxy(store, {
    get(target, name: keyof Store) {
      const value = target[name];
      // Whether somebody listens is not asked of the database.
      if (typeof value !== "function" || name === "mayHear") return value;
      return (...given: never[]) => {
        calls[name] = (calls[name] ?? 0) + 1;
        return (value as (...args: never[]) => unknown).apply(target, given);
      };
    },
  });
  return {
    store: counting,
    calls() {
      const told = calls;
      calls = {};
      return told;
    },
  };
}

const numbered = (start: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${start}${i}`);
const many = (jids: string[]) => jids.flatMap((jid) => ["q", jid, "klass", "{}", "0", "0"]);
const outcomes = (jobs: PoppedJob[]) =>
  jobs.flatMap(({ jid, lease }) => ["complete", jid, `${lease}`, "0"]);

/** A queue with so many jobs in it, and a worker that has just asked. */
async function site(waiting: number) {
  const { store, calls } = counted(await freshStore());
  const call = (name: keyof typeof commands, ...words: string[]) =>
    perform(store, commands[name], "ql", ["", ...words], () => 1_000_000_000);
  for (let i = 0; i < waiting; i += 1000) call("put.many", "w", ...many(numbered(`${i}-`, 1000)));
  const [job] = popped(call("pop", "q", "w", "1"));
  call("complete", job!.jid, "w", "q", "{}", "lease", `${job!.lease}`);
  calls();
  return { call, calls };
}

const EXPECTED = {
  put: { exists: 1, fields: 1, set: 2, rank: 1, announce: 1 },
  pop: {
    exists: 1,
    fields: 1,
    fieldsIfSound: 1,
    takeLowest: 1,
    increase: 1,
    set: 1,
    rank: 2,
    append: 1,
  },
  complete: { exists: 1, fieldIfSound: 1, set: 1, unrank: 2, rank: 1, append: 1, announce: 1 },
  "ten puts": { existsAny: 1, fields: 1, set: 10 + 1, rank: 1, announce: 1 },
  "ten jobs": {
    exists: 1,
    fields: 1,
    fieldsIfSound: 10,
    takeLowest: 1,
    increase: 1,
    set: 10,
    rank: 2,
    append: 1,
  },
  "ten completions with ten jobs": {
    ...{
      exists: 1,
      fieldIfSound: 10,
      fields: 1,
      fieldsIfSound: 10,
      set: 20,
      unrank: 2,
      rank: 3,
      announce: 1,
    },
    ...{ takeLowest: 1, increase: 1, append: 1 },
  },
};

test.each([1000, 20_000])(
  "with %i jobs waiting, commands ask what they asked before",
  async (n) => {
    const { call, calls } = await site(n);
    const asked: Record<string, Record<string, number>> = {};
    const count = (what: string, name: keyof typeof commands, ...words: string[]) => {
      const reply = call(name, ...words);
      asked[what] = calls();
      return reply;
    };
    count("put", "put", "w", "q", "one", "klass", "{}", "0");
    const [job] = popped(count("pop", "pop", "q", "w", "1"));
    count("complete", "complete", job!.jid, "w", "q", "{}", "lease", `${job!.lease}`);
    count("ten puts", "put.many", "w", ...many(numbered("ten-", 10)));
    const jobs = popped(count("ten jobs", "pop", "q", "w", "10"));
    count("ten completions with ten jobs", "finish", "w", "10", '["q"]', ...outcomes(jobs));
    expect(asked).toEqual(EXPECTED);
  },
);
