import { expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { everyClient } from "./every-client.ts";

/** Jobs of two klasses in two queues, some failed, some scheduled. */
async function fill(client: Client): Promise<void> {
  await client.putMany([
    { klass: "a", data: 1, jid: "one", queue: "q", tags: ["x"], source: "shop" },
    { klass: "b", data: 2, jid: "two", queue: "q" },
    { klass: "a", data: 3, jid: "three", queue: "r", tags: ["x"], delay: "1h" },
    { klass: "a", data: 4, jid: "four", queue: "r" },
    { klass: "a", data: 5, jid: "five", queue: "f" },
  ]);
  const [job] = await client.queue("f").pop();
  await job!.fail("smtp", "no route");
}

everyClient("a search", (open) => {
  test.each([
    [{}, ["five", "four", "one", "three", "two"]],
    [{ klass: "a" }, ["five", "four", "one", "three"]],
    [{ queue: "q" }, ["one", "two"]],
    [{ state: "waiting", klass: "a" }, ["four", "one"]],
    [{ tag: "x" }, ["one", "three"]],
    [{ tag: "x", state: "scheduled" }, ["three"]],
    [{ source: "shop" }, ["one"]],
    [{ group: "smtp" }, ["five"]],
    [{ state: "failed" }, ["five"]],
    [{ jid: "o" }, ["four", "one", "two"]],
    [{ to: "2020-01-01" }, []],
    [{ from: "2020-01-01", queue: "q" }, ["one", "two"]],
  ] as const)("finds what meets %j", async (criteria, jids) => {
    const client = await open();
    await fill(client);
    const found: string[] = [];
    for await (const job of client.search(criteria)) found.push(job.jid);
    expect(found.sort()).toEqual(jids);
    expect(await client.search(criteria).count()).toBe(jids.length);
  });

  test("goes page by page, and finds each once", async () => {
    const client = await open();
    for (let i = 0; i < 30; i++) await client.put("k", i, { jid: `j${i}` });
    const search = client.search({ queue: "k", order: "oldest" });
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await search.page({ cursor, count: 7 });
      expect(page.jobs.length).toBeLessThanOrEqual(7);
      found.push(...page.jobs.map(({ jid }) => jid));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(found).toEqual(Array.from({ length: 30 }, (_, i) => `j${i}`));
    await expect(search.page({ cursor: "nonsense" })).rejects.toMatchObject({ name: "Invalid" });
  });

  test("changes all that it finds", async () => {
    const client = await open();
    await fill(client);
    const progress: number[] = [];
    const onProgress = ({ done }: { done: number }) => progress.push(done);
    expect(await client.search({ tag: "x" }).tag(["y"], { onProgress })).toMatchObject({
      found: 2,
      done: 2,
      refused: 0,
    });
    expect(progress.at(-1)).toBe(2);
    expect(await client.search({ tag: "y" }).setPriority(9)).toMatchObject({ done: 2 });
    expect(await client.search({ tag: "y" }).untag(["x"])).toMatchObject({ done: 2 });
    expect((await client.get("one"))!).toMatchObject({ tags: ["y"], priority: 9 });
    expect(await client.search({ state: "failed" }).retry()).toMatchObject({ done: 1 });
    expect((await client.get("five"))!).toMatchObject({ state: "waiting", queue: "f" });
    expect(await client.search({ klass: "a" }).move("z")).toMatchObject({ done: 4 });
    expect(await client.queue("z").length()).toBe(4);
    expect(await client.search({ queue: "z" }).cancel()).toMatchObject({ done: 4 });
    expect(await client.search({}).count()).toBe(1);
  });

  test("tells which jobs it could not change, and goes on", async () => {
    const client = await open();
    await client.put("k", 1, { jid: "a" });
    await client.put("other", 1, { jid: "b", depends: ["a"] });
    await client.put("k", 1, { jid: "c" });
    const report = await client.search({ queue: "k" }).cancel();
    expect(report).toMatchObject({ found: 2, done: 1, refused: 1 });
    expect(report.errors).toMatchObject([{ jid: "a", error: { code: "HAS_DEPENDENTS" } }]);
  });

  test("stops with a signal", async () => {
    const client = await open();
    await client.put("k", 1);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(client.search({}).cancel({ signal })).rejects.toThrow("enough");
    await expect(client.search({}).count({ signal })).rejects.toThrow("enough");
    expect(await client.queue("k").length()).toBe(1);
  });
});
