import { describe, expect, test } from "vitest";
import { SqliteStore } from "../../src/embedded/sqlite-store.ts";
import { freshDatabase, freshFile, freshStore } from "./support.ts";

const LONG = "x".repeat(500_000);

/** The same store, looking at the file and not at its memory. */
function reread(store: SqliteStore): void {
  store.commit();
  store.begin(true);
  store.rollback();
  store.begin(true);
}

const pairsOf = (flat: string[]) =>
  flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1]]] : [])).sort();

describe("records", () => {
  test("give back the fields that were set, before and after the commit", async () => {
    const store = await freshStore();
    store.set("r", ["a", "1", "b", "é\0\n\"'𝒜", "c", ""]);
    for (const check of [() => {}, () => reread(store)]) {
      check();
      expect(store.field("r", "a")).toBe("1");
      expect(store.fields("r", ["c", "absent", "b"])).toEqual(["", false, "é\0\n\"'𝒜"]);
      expect(pairsOf(store.all("r"))).toEqual([
        ["a", "1"],
        ["b", "é\0\n\"'𝒜"],
        ["c", ""],
      ]);
    }
  });

  test("keep numbers as the text they are written in", async () => {
    const store = await freshStore();
    store.set("r", ["a", 12, "b", 1.5, 7, 8]);
    reread(store);
    expect(store.fields("r", ["a", "b", "7"])).toEqual(["12", "1.5", "8"]);
  });

  test("are absent when nothing was set", async () => {
    const store = await freshStore();
    store.set("r", []);
    store.unset("r", []);
    store.remove([]);
    expect(store.exists("r")).toBe(false);
    expect(store.field("r", "a")).toBe(false);
    expect(store.fields("r", [])).toEqual([]);
    expect(store.all("r")).toEqual([]);
  });

  test("are gone with their last field", async () => {
    const store = await freshStore();
    store.set("r", ["a", "1", "b", "2"]);
    store.unset("r", ["a", "absent"]);
    expect(store.exists("r")).toBe(true);
    store.unset("r", ["b"]);
    expect(store.exists("r")).toBe(false);
    reread(store);
    expect(store.exists("r")).toBe(false);
    expect(store.keys("r", "0", 10).keys).toEqual([]);
  });

  test("come back after they were removed", async () => {
    const store = await freshStore();
    store.set("r", ["a", "1"]);
    reread(store);
    store.remove(["r", "absent"]);
    store.set("r", ["b", "2"]);
    reread(store);
    expect(store.all("r")).toEqual(["b", "2"]);
  });

  test("have fields of any name", async () => {
    const store = await freshStore();
    const names = ["__proto__", "constructor", "toString", "0", "", "é", "hasOwnProperty"];
    for (const name of names) expect(store.field("r", name)).toBe(false);
    store.set(
      "__proto__",
      names.flatMap((name) => [name, `v${name}`]),
    );
    reread(store);
    expect(store.fields("__proto__", names)).toEqual(names.map((name) => `v${name}`));
    store.unset("__proto__", names);
    expect(store.exists("__proto__")).toBe(false);
  });

  test("add to a field, which counts from zero", async () => {
    const store = await freshStore();
    expect(store.increase("r", "n", 5)).toBe(5);
    expect(store.increase("r", "n", -7)).toBe(-2);
    reread(store);
    expect(store.increase("r", "n", 2)).toBe(0);
    expect(store.field("r", "n")).toBe("0");
  });

  test("take ten thousand fields at once", async () => {
    const store = await freshStore();
    const names = Array.from({ length: 10_000 }, (_, i) => `f${i}`);
    store.set(
      "r",
      names.flatMap((name, i) => [name, i]),
    );
    reread(store);
    expect(store.fields("r", names)).toEqual(names.map((_, i) => String(i)));
    store.unset("r", names);
    expect(store.exists("r")).toBe(false);
  });
});

describe("records: long values", () => {
  async function longStore() {
    const db = await freshDatabase();
    const store = new SqliteStore(db, () => {});
    store.begin(true);
    return { store, texts: () => db.prepare("SELECT count(*) FROM texts").pluck().get() };
  }

  test("come back whole", async () => {
    const { store } = await longStore();
    store.set("r", ["data", LONG, "state", "waiting"]);
    reread(store);
    expect(store.field("r", "data")).toBe(LONG);
    expect(pairsOf(store.all("r"))).toEqual([
      ["data", LONG],
      ["state", "waiting"],
    ]);
  });

  test("are not written again with the fields beside them", async () => {
    const { store, texts } = await longStore();
    store.set("r", ["data", LONG, "state", "waiting"]);
    reread(store);
    store.set("r", ["state", "running"]);
    reread(store);
    expect(texts()).toBe(1);
    expect(store.fields("r", ["data", "state"])).toEqual([LONG, "running"]);
  });

  test.each<[string, (store: SqliteStore) => void]>([
    ["set to something short", (store) => store.set("r", ["data", "short"])],
    ["unset", (store) => store.unset("r", ["data"])],
    ["removed with their record", (store) => store.remove(["r"])],
  ])("leave nothing behind when %s", async (_how, change) => {
    const { store, texts } = await longStore();
    store.set("r", ["data", LONG]);
    reread(store);
    expect(texts()).toBe(1);
    change(store);
    reread(store);
    expect(texts()).toBe(0);
  });

  test("replace each other", async () => {
    const { store, texts } = await longStore();
    store.set("r", ["data", LONG, "other", `${LONG}2`]);
    reread(store);
    store.set("r", ["data", `${LONG}3`]);
    reread(store);
    expect(store.fields("r", ["data", "other"])).toEqual([`${LONG}3`, `${LONG}2`]);
    expect(texts()).toBe(2);
  });
});

describe("records: transactions", () => {
  test("are as they were after a rollback", async () => {
    const store = await freshStore();
    store.set("r", ["a", "1", "data", LONG]);
    store.commit();
    store.begin(true);
    store.set("r", ["a", "2", "data", "short"]);
    store.remove(["r"]);
    store.set("new", ["a", "1"]);
    store.rollback();
    store.begin(true);
    expect(store.fields("r", ["a", "data"])).toEqual(["1", LONG]);
    expect(store.exists("new")).toBe(false);
  });

  test("show what another connection has committed", async () => {
    const file = freshFile();
    const one = await freshStore(file);
    one.set("r", ["a", "1"]);
    one.commit();
    const two = await freshStore(file);
    expect(two.field("r", "a")).toBe("1");
    two.set("r", ["a", "2"]);
    two.commit();
    one.begin(true);
    expect(one.field("r", "a")).toBe("2");
    one.commit();
    two.begin(false);
    expect(two.field("r", "a")).toBe("2");
  });

  test("do not change under a reader", async () => {
    const file = freshFile();
    const writer = await freshStore(file);
    writer.set("r", ["a", "1"]);
    writer.commit();
    writer.begin(true);
    const reader = new SqliteStore(await freshDatabase(file), () => {});
    reader.begin(false);
    writer.set("r", ["a", "2"]);
    writer.set("s", ["a", "2"]);
    writer.commit();
    expect(reader.field("r", "a")).toBe("1");
    expect(reader.exists("s")).toBe(false);
  });

  test("refuse to be changed by a reader", async () => {
    const store = await freshStore();
    store.commit();
    store.begin(false);
    expect(() => store.set("r", ["a", "1"])).toThrow("declared as reading");
    expect(() => store.rank("r", [1, "a"])).toThrow("declared as reading");
    expect(() => store.announce("ql:log", "hello")).toThrow("declared as reading");
  });

  test("are read again when there were too many to keep in memory", async () => {
    const store = await freshStore();
    for (let i = 0; i < 3000; i++) store.set(`r${i}`, ["i", i]);
    store.commit();
    store.begin(true);
    for (let i = 0; i < 3000; i++) expect(store.field(`r${i}`, "i")).toBe(String(i));
  });
});
