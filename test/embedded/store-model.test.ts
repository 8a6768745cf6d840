import fc from "fast-check";
import { expect, test } from "vitest";
import { SqliteStore } from "../../src/embedded/sqlite-store.ts";
import { freshDatabase, freshFile } from "./support.ts";

/**
 * Random work on two connections to one file, against plain maps. It is meant for what is kept in
 * memory between transactions: whoever looks must see what was committed last, by whomever.
 */

type Model = {
  records: Map<string, Map<string, string>>;
  rankings: Map<string, Map<string, number>>;
};

type Step =
  | { do: "set" | "unset" | "increase"; key: string; name: string; long: boolean; n: number }
  | { do: "rank" | "unrank" | "raise"; key: string; name: string; n: number }
  | { do: "remove"; key: string }
  | { do: "turn"; commit: boolean; who: 0 | 1 };

const key = fc.constantFrom("k1", "k2", "__proto__");
const name = fc.constantFrom("a", "é", "𝒜", "\uffee", "constructor");
const n = fc.integer({ min: -3, max: 3 });
const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constantFrom("set", "unset", "increase"),
      key,
      name,
      long: fc.boolean(),
      n,
    }),
    fc.record({ do: fc.constantFrom("rank", "unrank", "raise"), key, name, n }),
    fc.record({ do: fc.constant("remove"), key }),
    fc.record({ do: fc.constant("turn"), commit: fc.boolean(), who: fc.constantFrom(0, 1) }),
  ),
  { maxLength: 40 },
) as fc.Arbitrary<Step[]>;

function child<V>(parent: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = parent.get(key) ?? new Map<string, V>();
  parent.set(key, found);
  return found;
}

function applyRecord(
  store: SqliteStore,
  model: Model,
  step: Step & { do: "set" | "unset" | "increase" },
) {
  const fields = child(model.records, step.key);
  const value = step.long ? `${step.n}`.repeat(2000) : `${step.n}`;
  if (step.do === "set") {
    store.set(step.key, [step.name, value]);
    fields.set(step.name, value);
  } else if (step.do === "unset") {
    store.unset(step.key, [step.name]);
    fields.delete(step.name);
  } else {
    // On a counter of its own, since other fields hold what is no number.
    const sum = Number(fields.get("count") ?? "0") + step.n;
    expect(store.increase(step.key, "count", step.n)).toBe(sum);
    fields.set("count", String(sum));
  }
}

function applyRanking(
  store: SqliteStore,
  model: Model,
  step: Step & { do: "rank" | "unrank" | "raise" },
) {
  const scores = child(model.rankings, step.key);
  if (step.do === "rank") {
    store.rank(step.key, [step.n, step.name]);
    scores.set(step.name, step.n);
  } else if (step.do === "unrank") {
    expect(store.unrank(step.key, [step.name])).toBe(scores.delete(step.name) ? 1 : 0);
  } else {
    const sum = (scores.get(step.name) ?? 0) + step.n;
    expect(store.raise(step.key, step.name, step.n)).toBe(sum);
    scores.set(step.name, sum);
  }
}

function apply(store: SqliteStore, model: Model, step: Step): void {
  if (step.do === "set" || step.do === "unset" || step.do === "increase") {
    applyRecord(store, model, step);
  } else if (step.do === "rank" || step.do === "unrank" || step.do === "raise") {
    applyRanking(store, model, step);
  } else if (step.do === "remove") {
    store.remove([step.key]);
    model.records.delete(step.key);
    model.rankings.delete(step.key);
  }
}

function inOrder(scores: Map<string, number>): string[] {
  const bytes = (text: string) => Buffer.from(text);
  const sorted = [...scores].sort(([a, m], [b, n]) => m - n || Buffer.compare(bytes(a), bytes(b)));
  return sorted.flatMap(([member, score]) => [member, String(score)]);
}

function compare(store: SqliteStore, model: Model): void {
  const present = new Set<string>();
  for (const key of ["k1", "k2", "__proto__"]) {
    const fields = model.records.get(key) ?? new Map<string, string>();
    const scores = model.rankings.get(key) ?? new Map<string, number>();
    const pairs = store.all(key);
    expect(pairs.length).toBe(fields.size * 2);
    for (const [name, value] of fields) expect(store.field(key, name)).toBe(value);
    expect(store.size(key)).toBe(scores.size);
    expect(store.lowestScored(key, 0, 99)).toEqual(inOrder(scores));
    if (fields.size + scores.size > 0) present.add(key);
    expect(store.exists(key)).toBe(present.has(key));
  }
  expect(new Set(store.keys("", "0", 99).keys)).toEqual(present);
  expect(store.existsAny(["k1", "k2", "__proto__"])).toBe(present.size > 0);
}

test("a store agrees with plain maps, whoever wrote last", async () => {
  const file = freshFile();
  const stores = [0, 1].map(() => freshDatabase(file));
  const [one, two] = (await Promise.all(stores)).map((db) => new SqliteStore(db, () => {}));
  const play = fc.property(steps, (history) => {
    let committed: Model = { records: new Map(), rankings: new Map() };
    let model = structuredClone(committed);
    let store = one!;
    store.begin(true);
    store.remove(["k1", "k2", "__proto__"]);
    store.commit();
    store.begin(true);
    for (const step of history) {
      if (step.do !== "turn") {
        apply(store, model, step);
        continue;
      }
      compare(store, model);
      if (step.commit) store.commit();
      else store.rollback();
      committed = step.commit ? model : committed;
      model = structuredClone(committed);
      store = step.who === 0 ? one! : two!;
      store.begin(true);
      compare(store, model);
    }
    store.rollback();
  });
  fc.assert(play, { numRuns: 300 });
});
