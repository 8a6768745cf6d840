import { expect, test } from "vitest";
import { everyClient } from "./every-client.ts";

everyClient("a unique key", (open) => {
  test("keeps a second job away until the first is complete, and tells of the first", async () => {
    const client = await open();
    const first = await client.put("k", 1, { unique: "u" });
    expect(await client.put("k", 2, { unique: "u" })).toEqual({ jid: first.jid, outcome: "kept" });
    expect((await client.get(first.jid))!).toMatchObject({ data: 1, unique: "u" });
    expect(await client.holderOf("u")).toBe(first.jid);
    const [job] = await client.queue("k").pop();
    await job!.complete();
    expect(await client.holderOf("u")).toBeUndefined();
    expect(await client.put("k", 2, { unique: "u" })).toMatchObject({ outcome: "created" });
    expect(await client.freeKey("u")).toBe(true);
    expect(await client.freeKey("u")).toBe(false);
  });

  test("can be made of klass and data, whatever the order of its members", async () => {
    const client = await open();
    const { jid } = await client.put("k", { a: 1, b: { c: 2, d: 3 } }, { unique: true });
    const again = await client.put("k", { b: { d: 3, c: 2 }, a: 1 }, { unique: true });
    expect(again).toEqual({ jid, outcome: "kept" });
    const created = { outcome: "created" };
    expect(await client.put("k", { a: 1 }, { unique: true })).toMatchObject(created);
    const other = await client.put("r", { a: 1, b: { c: 2, d: 3 } }, { unique: true });
    expect(other).toMatchObject(created);
  });

  test("is free when the job starts, or after a time, where that was asked for", async () => {
    const client = await open();
    await client.put("k", 1, { unique: { key: "u", until: "start" } });
    await client.queue("k").pop();
    const second = await client.put("k", 2, { unique: { key: "u", until: "start" } });
    expect(second.outcome).toBe("created");
    await client.put("r", 1, { unique: { key: "t", for: "1h" } });
    const [job] = await client.queue("r").pop();
    await job!.complete();
    const third = await client.put("r", 2, { unique: { key: "t", for: "1h" } });
    expect(third.outcome).toBe("kept");
  });

  test("lets a second put change the first job", async () => {
    const client = await open();
    const unique = (conflict: "replace" | "data" | "time") => ({ unique: { key: "u", conflict } });
    const { jid } = await client.put("k", 1, { unique: "u" });
    expect(await client.put("k", 2, unique("data"))).toEqual({ jid, outcome: "changed" });
    expect((await client.get(jid))!.data).toBe(2);
    const later = { ...unique("time"), delay: "1h" };
    expect(await client.put("k", 3, later)).toEqual({ jid, outcome: "changed" });
    expect((await client.get(jid))!).toMatchObject({ data: 2, state: "scheduled" });
    const replaced = await client.queue("other").put("k", 4, { ...unique("replace"), priority: 5 });
    expect(replaced).toEqual({ jid, outcome: "replaced" });
    expect((await client.get(jid))!).toMatchObject({ data: 4, queue: "other", priority: 5 });
    expect(await client.queue("k").length()).toBe(0);
  });

  test("counts within a batch, and for puts that are made at once", async () => {
    const client = await open();
    const many = await client.putMany([
      { klass: "k", data: 1, unique: "u", jid: "a" },
      { klass: "k", data: 2, unique: "u", jid: "b" },
    ]);
    expect(many).toEqual([
      { jid: "a", outcome: "created" },
      { jid: "a", outcome: "kept" },
    ]);
    const puts = Array.from({ length: 20 }, (_, i) => client.put("k", i, { unique: "v" }));
    const created = (await Promise.all(puts)).filter((one) => one.outcome === "created");
    expect(created).toHaveLength(1);
  });

  test("is refused where it makes no sense", async () => {
    const client = await open();
    const both = client.put("k", 1, { unique: { key: "u", until: "start", for: "1h" } });
    await expect(both).rejects.toThrow("Use unique.until or unique.for, not both");
    await expect(client.put("k", 1, { unique: "" })).rejects.toMatchObject({ name: "Invalid" });
  });

  test("comes with a moment to be due at", async () => {
    const client = await open();
    const at = new Date(Date.now() + 3_600_000);
    const { jid } = await client.put("k", 1, { at });
    expect((await client.get(jid))!.scheduled).toEqual(at);
  });
});
