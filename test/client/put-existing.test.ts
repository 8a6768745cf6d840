import { expect, test } from "vitest";
import type { PutOutcome, PutResult } from "../../src/client/put-batch.ts";
import type { PutOptions } from "../../src/client/put-options.ts";
import { Invalid, JidTaken } from "../../src/engine.ts";
import { everyClient } from "./every-client.ts";

everyClient("a put of a jid that exists", (open) => {
  test("keeps the job unless it says otherwise, whether it waits, runs or is complete", async () => {
    const client = await open();
    const put = () => client.put("charge", { amount: 5 }, { jid: "charge-1", priority: 2 });
    expect(await put()).toEqual({ jid: "charge-1", outcome: "created" });
    expect(await put()).toEqual({ jid: "charge-1", outcome: "kept" });
    const [job] = await client.queue("charge").pop();
    expect(await put()).toEqual({ jid: "charge-1", outcome: "kept" });
    await job!.complete({ data: { charged: true } });
    expect(await put()).toEqual({ jid: "charge-1", outcome: "kept" });
    expect(await client.queue("charge").pop()).toEqual([]);
    const { state, data, history } = (await client.get("charge-1"))!;
    expect([state, data]).toEqual(["complete", { charged: true }]);
    expect(history.map(({ what }) => what)).toEqual(["put", "popped", "done"]);
  });

  test("replaces the job or refuses, if it says so", async () => {
    const client = await open();
    await client.put("k", 1, { jid: "a" });
    const refused = client.put("k", 2, { jid: "a", ifExists: "refuse" });
    await expect(refused).rejects.toBeInstanceOf(JidTaken);
    await expect(refused).rejects.toMatchObject({ code: "JID_TAKEN", name: "JidTaken" });
    const result = await client.queue("q").put("k", 3, { jid: "a", ifExists: "replace" });
    expect(result).toEqual({ jid: "a", outcome: "replaced" });
    expect(await client.get("a")).toMatchObject({ queue: "q", data: 3 });
  });

  test("is judged on its own, if many are put at once", async () => {
    const client = await open();
    const puts = (["keep", "refuse", "keep", "replace"] as const).map((ifExists) =>
      client.put("k", ifExists, { jid: "a", ifExists }),
    );
    const others = [client.put("k", 1, { jid: "b" }), client.put("k", 2)];
    const settled = await Promise.allSettled([...puts, ...others]);
    const told = settled.map((one) => {
      return one.status === "rejected" ? one.reason.code : one.value.outcome;
    });
    expect(told).toEqual(["created", "JID_TAKEN", "kept", "replaced", "created", "created"]);
    expect(await client.queue("k").length()).toBe(3);
  });

  test("is judged per job in putMany, which puts all jobs or none", async () => {
    const client = await open();
    const job = (jid?: string, options: PutOptions = {}) => ({
      klass: "k",
      data: 1,
      jid,
      ...options,
    });
    const results: PutResult[] = await client.putMany([job("a"), job(), job("a"), job("b")]);
    const outcomes: PutOutcome[] = results.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["created", "created", "kept", "created"]);
    expect(results[2]!.jid).toBe("a");
    const refusing = client.putMany([job("c"), job("b", { ifExists: "refuse" })]);
    await expect(refusing).rejects.toBeInstanceOf(JidTaken);
    expect(await client.get("c")).toBeUndefined();
    const again = await client.queue("k").putMany([job("a"), job("b", { ifExists: "replace" })]);
    expect(again).toEqual([
      { jid: "a", outcome: "kept" },
      { jid: "b", outcome: "replaced" },
    ]);
  });

  test("keeps parts that a second run of their parent puts again, and can wait for them", async () => {
    const client = await open();
    const parts = ["a", "b"].map((part) => ({
      klass: "part",
      data: { part },
      jid: `import-${part}`,
    }));
    await client.putMany(parts);
    const [job] = await client.queue("part").pop();
    await job!.complete({ data: { rows: 10 } });
    const again = await client.putMany(parts);
    expect(again.map(({ outcome }) => outcome)).toEqual(["kept", "kept"]);
    await client.put("sum", {}, { jid: "sum", depends: parts.map(({ jid }) => jid) });
    expect((await client.get("sum"))!.dependencies).toEqual(["import-b"]);
    expect(await client.queue("part").length()).toBe(1);
  });

  test("refuses options that cannot be, also for a job that it would keep", async () => {
    const client = await open();
    await client.put("k", 1, { jid: "a" });
    for (const options of [{ jid: "a" }, {}]) {
      const put = client.put("k", 2, { ...options, ifExists: "always" as never });
      await expect(put).rejects.toBeInstanceOf(Invalid);
      await expect(put).rejects.toThrow("ifExists must be keep, replace or refuse");
    }
    const bad = client.put("k", 2, { jid: "a", backoff: "often" });
    await expect(bad).rejects.toBeInstanceOf(Invalid);
    expect(await client.queue("k").length()).toBe(1);
  });

  test("needs no jid to say what to do about one", async () => {
    const client = await open();
    for (const ifExists of ["keep", "replace", "refuse"] as const) {
      expect(await client.put("k", 1, { ifExists })).toMatchObject({ outcome: "created" });
    }
    expect(await client.queue("k").length()).toBe(3);
  });

  test("is judged before the unique key", async () => {
    const client = await open();
    await client.put("k", 1, { jid: "a" });
    await client.put("k", 2, { jid: "b", unique: "u" });
    const unique = { key: "u", conflict: "data" } as const;
    expect(await client.put("k", 3, { jid: "a", unique })).toEqual({ jid: "a", outcome: "kept" });
    expect(await client.put("k", 3, { jid: "b", unique })).toEqual({ jid: "b", outcome: "kept" });
    expect(await client.put("k", 3, { jid: "c", unique })).toEqual({
      jid: "b",
      outcome: "changed",
    });
    expect((await client.get("b"))!.data).toBe(3);
  });
});
