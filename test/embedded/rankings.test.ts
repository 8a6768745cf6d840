import { describe, expect, test } from "vitest";
import { SqliteStore } from "../../src/embedded/sqlite-store.ts";
import { freshDatabase, freshFile, freshStore } from "./support.ts";

const ALL = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };

async function abc(): Promise<SqliteStore> {
  const store = await freshStore();
  store.rank("r", [3, "c", 1, "a", 2, "b"]);
  return store;
}

describe("rankings: membership", () => {
  test("count their members and know their scores", async () => {
    const store = await abc();
    expect(store.size("r")).toBe(3);
    expect(store.score("r", "b")).toBe(2);
    expect(store.score("r", "absent")).toBe(false);
    expect(store.exists("r")).toBe(true);
  });

  test("move members that are there already", async () => {
    const store = await abc();
    store.rank("r", [9, "a", 9, "d"]);
    expect(store.lowestScored("r", 0, 9)).toEqual(["b", "2", "c", "3", "a", "9", "d", "9"]);
    expect(store.size("r")).toBe(4);
  });

  test("keep the last score of a member that is given twice", async () => {
    const store = await freshStore();
    store.rank("r", [1, "a", 2, "a"]);
    expect(store.size("r")).toBe(1);
    expect(store.score("r", "a")).toBe(2);
  });

  test("take scores that are written as text", async () => {
    const store = await freshStore();
    store.rank("r", ["1.5", "a", "-2", 7, "-inf", "b", "inf", "c"]);
    const expected = ["b", "-inf", "7", "-2", "a", "1.5", "c", "inf"];
    expect(store.lowestScored("r", 0, 9)).toEqual(expected);
  });

  test("tell how many members were taken out", async () => {
    const store = await abc();
    expect(store.unrank("r", ["a", "absent", "c", "a"])).toBe(2);
    expect(store.unrank("r", ["a"])).toBe(0);
    expect(store.unrank("absent", ["a"])).toBe(0);
    expect(store.size("r")).toBe(1);
  });

  test("give up their lowest members", async () => {
    const store = await abc();
    expect(store.takeLowest("r", 0)).toEqual([]);
    expect(store.takeLowest("r", 2)).toEqual(["a", "b"]);
    expect(store.size("r")).toBe(1);
    expect(store.takeLowest("r", 2)).toEqual(["c"]);
    expect(store.takeLowest("r", 2)).toEqual([]);
    expect(store.exists("r")).toBe(false);
  });

  test("are gone with their last member", async () => {
    const store = await abc();
    store.unrank("r", ["a", "b", "c"]);
    expect(store.exists("r")).toBe(false);
    expect(store.keys("r", "0", 9).keys).toEqual([]);
  });

  test("come back after they were removed", async () => {
    const store = await abc();
    store.commit();
    store.begin(true);
    store.remove(["r"]);
    expect(store.size("r")).toBe(0);
    expect(store.lowest("r", 0, 9)).toEqual([]);
    store.rank("r", [1, "z"]);
    store.commit();
    store.begin(true);
    expect(store.lowest("r", 0, 9)).toEqual(["z"]);
    expect(store.size("r")).toBe(1);
  });

  test("add to scores, which count from zero", async () => {
    const store = await freshStore();
    expect(store.raise("r", "a", 2)).toBe(2);
    expect(store.raise("r", "a", -0.5)).toBe(1.5);
    expect(store.size("r")).toBe(1);
  });

  test("do nothing with empty lists", async () => {
    const store = await freshStore();
    store.rank("r", []);
    expect(store.unrank("r", [])).toBe(0);
    expect(store.exists("r")).toBe(false);
  });

  test("may have the name of a record", async () => {
    const store = await freshStore();
    store.set("same", ["a", "1"]);
    store.rank("same", [1, "a"]);
    store.unset("same", ["a"]);
    expect(store.exists("same")).toBe(true);
    store.remove(["same"]);
    expect(store.exists("same")).toBe(false);
  });

  test("take ten thousand members at once", async () => {
    const store = await freshStore();
    const members = Array.from({ length: 10_000 }, (_, i) => `m${String(i).padStart(5, "0")}`);
    store.rank(
      "r",
      members.flatMap((member, i) => [-i, member]),
    );
    expect(store.size("r")).toBe(10_000);
    expect(store.highest("r", 0, 10_000)).toEqual(members);
    expect(store.unrank("r", members)).toBe(10_000);
    expect(store.exists("r")).toBe(false);
  });
});

describe("rankings: order", () => {
  test("go by score, upwards and downwards", async () => {
    const store = await abc();
    expect(store.lowest("r", 0, 9)).toEqual(["a", "b", "c"]);
    expect(store.lowest("r", 1, 1)).toEqual(["b"]);
    expect(store.highest("r", 0, 2)).toEqual(["c", "b"]);
    expect(store.highestScored("r", 1, 9)).toEqual(["b", "2", "a", "1"]);
  });

  test("give nothing for a count of zero, beyond the end, or where there is nothing", async () => {
    const store = await abc();
    for (const [offset, count] of [
      [0, 0],
      [3, 5],
    ] as const) {
      expect(store.lowest("r", offset, count)).toEqual([]);
      expect(store.highest("r", offset, count)).toEqual([]);
      expect(store.between("r", ALL, offset, count)).toEqual([]);
      expect(store.betweenScored("r", ALL, offset, count)).toEqual([]);
    }
    expect(store.lowest("absent", 0, 9)).toEqual([]);
    expect(store.highestScored("absent", 0, 9)).toEqual([]);
  });

  test("order equal scores by the bytes of UTF-8", async () => {
    const store = await freshStore();
    // JavaScript would put 𝒜 before U+FFEE, and a dictionary é before z.
    const members = ["", "\0", "Z", "__proto__", "a", "a\0", "aa", "z", "é", "\uffee", "𝒜"];
    store.rank(
      "r",
      members.toReversed().flatMap((member) => [1, member]),
    );
    expect(store.lowest("r", 0, 99)).toEqual(members);
    expect(store.highest("r", 0, 99)).toEqual(members.toReversed());
    expect(store.between("r", { min: 1, max: 1 }, 0, 99)).toEqual(members);
    expect(members.map((member) => store.position("r", member))).toEqual([...members.keys()]);
  });

  test("say scores as Redis does", async () => {
    const store = await freshStore();
    const scores = [Number.NEGATIVE_INFINITY, -1.5, 0, 0.1, 1700000000123, 2 ** 53, 1e300];
    store.rank(
      "r",
      scores.flatMap((score, i) => [score, `m${i}`]),
    );
    const said = store.lowestScored("r", 0, 99).filter((_, i) => i % 2 === 1);
    expect(said).toEqual([
      "-inf",
      "-1.5",
      "0",
      "0.1",
      "1700000000123",
      "9007199254740992",
      "1e+300",
    ]);
    expect(scores.map((_, i) => store.score("r", `m${i}`))).toEqual(scores);
    store.rank("r", [Number.POSITIVE_INFINITY, "last"]);
    expect(store.highestScored("r", 0, 1)).toEqual(["last", "inf"]);
  });

  test("give the members between two scores, both included", async () => {
    const store = await abc();
    expect(store.between("r", { min: 1, max: 2 }, 0, 9)).toEqual(["a", "b"]);
    expect(store.between("r", { min: 1.5, max: 99 }, 1, 9)).toEqual(["c"]);
    expect(store.betweenScored("r", ALL, 1, 1)).toEqual(["b", "2"]);
    expect(store.between("r", { min: 5, max: 1 }, 0, 9)).toEqual([]);
  });

  test("count the members between two scores, both included", async () => {
    const store = await abc();
    store.rank("r", [Number.NEGATIVE_INFINITY, "first"]);
    expect(store.sizeBetween("r", 1, 2)).toBe(2);
    expect(store.sizeBetween("r", ALL.min, ALL.max)).toBe(4);
    expect(store.sizeBetween("r", 4, 9)).toBe(0);
    expect(store.sizeBetween("absent", ALL.min, ALL.max)).toBe(0);
  });

  test("find the highest score below another", async () => {
    const store = await abc();
    expect(store.highestBelow("r", 3)).toBe(2);
    expect(store.highestBelow("r", 99)).toBe(3);
    expect(store.highestBelow("r", 1)).toBe(false);
    expect(store.highestBelow("absent", 1)).toBe(false);
  });

  test("know the position of a member", async () => {
    const store = await abc();
    expect(["a", "b", "c", "d"].map((member) => store.position("r", member))).toEqual([
      0,
      1,
      2,
      false,
    ]);
    expect(store.position("absent", "a")).toBe(false);
  });
});

describe("rankings: transactions", () => {
  test("are as they were after a rollback", async () => {
    const store = await abc();
    store.commit();
    store.begin(true);
    store.unrank("r", ["a"]);
    store.rank("r", [9, "b", 9, "d"]);
    store.rank("new", [1, "a"]);
    store.rollback();
    store.begin(true);
    expect(store.lowestScored("r", 0, 9)).toEqual(["a", "1", "b", "2", "c", "3"]);
    expect(store.size("r")).toBe(3);
    expect(store.exists("new")).toBe(false);
  });

  test("show what another connection has committed", async () => {
    const file = freshFile();
    const one = await freshStore(file);
    one.rank("r", [1, "a"]);
    one.commit();
    const two = new SqliteStore(await freshDatabase(file), () => {});
    two.begin(true);
    two.unrank("r", ["a"]);
    two.rank("s", [1, "b"]);
    two.commit();
    one.begin(true);
    expect(one.size("r")).toBe(0);
    one.rank("r", [1, "c"]);
    expect(one.lowest("r", 0, 9)).toEqual(["c"]);
    expect(one.lowest("s", 0, 9)).toEqual(["b"]);
  });
});

describe("keys", () => {
  function walk(store: SqliteStore, prefix: string, count: number): string[] {
    const all: string[] = [];
    let cursor = "0";
    do {
      const step = store.keys(prefix, cursor, count);
      all.push(...step.keys);
      cursor = step.cursor;
    } while (cursor !== "0");
    return all;
  }

  async function filled(): Promise<SqliteStore> {
    const store = await freshStore();
    for (const key of ["ql:é", "ql:b", "ql:both", "ql;", "ql", "qk:z", "qm:a"])
      store.set(key, ["a", 1]);
    for (const key of ["ql:both", "ql:a", "ql:𝒜", "{ql}:a"]) store.rank(key, [1, "a"]);
    return store;
  }

  test.each([1, 2, 3, 5, 100])("are walked once each, %d at a time", async (count) => {
    const store = await filled();
    expect(walk(store, "ql:", count)).toEqual(["ql:a", "ql:b", "ql:both", "ql:é", "ql:𝒜"]);
    expect(walk(store, "{ql}:", count)).toEqual(["{ql}:a"]);
    expect(walk(store, "absent:", count)).toEqual([]);
  });

  test("that stay are seen although others come and go on the way", async () => {
    const store = await filled();
    const first = store.keys("ql:", "0", 2);
    store.remove(["ql:b", "ql:both"]);
    store.set("ql:0", ["a", 1]);
    const rest = store.keys("ql:", first.cursor, 99);
    expect([...first.keys, ...rest.keys]).toEqual(["ql:a", "ql:b", "ql:é", "ql:𝒜"]);
    expect(rest.cursor).toBe("0");
  });
});
