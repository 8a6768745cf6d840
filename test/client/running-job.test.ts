import { expect, test } from "vitest";
import { LostLock } from "../../src/engine.ts";
import { everyClient } from "./every-client.ts";

everyClient("a running job", (open) => {
  test("is handed out with its data and a lease, and completed", async () => {
    const client = await open();
    const queue = client.queue("q");
    await queue.put("k", { a: 1 }, { jid: "a" });
    const [job] = await queue.pop({ worker: "w" });
    expect(job).toMatchObject({ jid: "a", klass: "k", queue: "q", worker: "w", data: { a: 1 } });
    expect(job!.lease).toBeGreaterThan(0);
    expect(await job!.complete({ data: { a: 2 } })).toBe("complete");
    expect(await client.get("a")).toMatchObject({ state: "complete", data: { a: 2 } });
    expect(await client.completed()).toEqual(["a"]);
    expect(await queue.pop()).toEqual([]);
  });

  test("comes from the first of several queues that has one", async () => {
    const client = await open();
    await client.put("r", 1, { jid: "a" });
    await client.put("q", 2, { jid: "b" });
    const jobs = await client.pop(["empty", "q", "r"], { worker: "w", count: 5 });
    expect(jobs.map(({ jid, queue }) => [jid, queue])).toEqual([
      ["b", "q"],
      ["a", "r"],
    ]);
    expect(await client.pop([])).toEqual([]);
  });

  test("has its data to the byte, though others laid it out with tabs and line breaks", async () => {
    const client = await open();
    const data = '{\t"a":\t[1,\r\n\t2]}\t';
    await client.engine.call("put", ["w", "q", "a", "k", data, 0]);
    const [job] = await client.queue("q").pop();
    expect(job).toMatchObject({ rawData: data, data: { a: [1, 2] } });
  });

  test("knows what is particular about it", async () => {
    const client = await open();
    const options = { priority: 3, retries: 2, tags: ["x"], source: "shop" };
    await client.put("k", null, options);
    const [job] = await client.queue("k").pop();
    expect(job).toMatchObject({ ...options, remaining: 2, worker: "me" });
  });

  test("renews its lock, and keeps data on the way", async () => {
    const client = await open();
    await client.config.setQueue("k", "heartbeat", "2m");
    await client.put("k", {}, { jid: "a" });
    const [job] = await client.queue("k").pop();
    const until = await job!.heartbeat({ page: 3 });
    expect(Math.abs(until.getTime() - Date.now() - 120_000)).toBeLessThan(10_000);
    expect(job!.expires).toEqual(until);
    expect((await client.get("a"))!.data).toEqual({ page: 3 });
  });

  test("goes on to the next queue, later and after others", async () => {
    const client = await open();
    await client.put("k", {}, { jid: "a" });
    await client.put("other", {}, { jid: "b" });
    const [job] = await client.queue("k").pop();
    expect(await job!.complete({ next: "r", delay: "1h", depends: ["b"] })).toBe("depends");
    expect(await client.get("a")).toMatchObject({ queue: "r", dependencies: ["b"] });
  });

  test("is tried again, and fails when no retry is left", async () => {
    const client = await open();
    await client.put("k", {}, { jid: "a", retries: 1 });
    const again = async (options: object) => {
      const [job] = await client.queue("k").pop();
      return job!.retry(options);
    };
    expect(await again({ spend: false })).toBe(1);
    expect(await again({})).toBe(0);
    expect(await again({ group: "smtp", message: "no route" })).toBe(-1);
    expect((await client.get("a"))!.failure).toMatchObject({ group: "smtp" });
    expect(await client.failures.groups()).toEqual(new Map([["smtp", 1]]));
    expect(await client.failures.jobs("smtp")).toEqual({ total: 1, jids: ["a"] });
    expect(await client.failures.unfail("smtp", "k")).toBe(1);
    expect((await client.get("a"))!.state).toBe("waiting");
  });

  test("that was lost can do nothing more", async () => {
    const client = await open();
    await client.put("k", {}, { jid: "a" });
    const [job] = await client.queue("k").pop({ worker: "w" });
    await (await client.get("a"))!.timeout();
    const lost = [job!.heartbeat(), job!.complete(), job!.fail("g", "m"), job!.retry()];
    for (const outcome of await Promise.allSettled(lost)) {
      expect(outcome).toMatchObject({ reason: { code: "NOT_RUNNING", name: "LostLock" } });
    }
    await client.queue("k").pop({ worker: "w" });
    await expect(job!.complete()).rejects.toBeInstanceOf(LostLock);
    await expect(job!.complete()).rejects.toMatchObject({ code: "LOCK_LOST" });
  });

  test("takes no message without a group", async () => {
    const client = await open();
    await client.put("k", {});
    const [job] = await client.queue("k").pop();
    const retry = job!.retry({ message: "why" });
    await expect(retry).rejects.toThrow("A retry with a message needs a group");
  });
});
