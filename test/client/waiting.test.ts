import { expect, test } from "vitest";
import { JobFailed } from "../../src/client/waiting.ts";
import { Timeout } from "../../src/engine.ts";
import { everyClient } from "./every-client.ts";

everyClient("who waits for a job", (open) => {
  test("hears that it is complete, and its data then", async () => {
    const client = await open();
    const { jid } = await client.put("k", { n: 1 });
    const waiting = client.waitFor(jid);
    const result = (await client.get(jid))!.result();
    const [job] = await client.queue("k").pop();
    await job!.complete({ data: { n: 2 } });
    expect(await waiting).toMatchObject({ state: "complete", job: { jid } });
    expect(await result).toEqual({ n: 2 });
    // Long after it ended, it still has.
    expect(await (await client.get(jid))!.result()).toEqual({ n: 2 });
  });

  test("hears of a job that goes through several queues only at its end", async () => {
    const client = await open();
    const { jid } = await client.put("k", 1);
    const waiting = client.waitFor(jid);
    const [first] = await client.queue("k").pop();
    await first!.complete({ next: "r" });
    const [second] = await client.queue("r").pop();
    await second!.complete();
    expect(await waiting).toMatchObject({ state: "complete" });
  });

  test("hears that it failed, or was canceled", async () => {
    const client = await open();
    const failing = await client.put("k", 1, { jid: "a" });
    const canceled = await client.put("r", 1, { jid: "b" });
    const results = [failing, canceled].map(async ({ jid }) => (await client.get(jid))!.result());
    const outcomes = Promise.allSettled(results);
    await expect.poll(() => client.queue("k").length()).toBe(1);
    const [job] = await client.queue("k").pop();
    await job!.fail("smtp", "no route");
    await client.cancel(["b"]);
    const [first, second] = (await outcomes) as PromiseRejectedResult[];
    expect(first!.reason).toBeInstanceOf(JobFailed);
    expect(first!.reason).toMatchObject({ code: "JOB_FAILED", group: "smtp", jid: "a" });
    expect(first!.reason.message).toBe("Job a failed with smtp: no route");
    expect(second!.reason).toMatchObject({ code: "JOB_GONE", jid: "b" });
    expect(await client.waitFor("b")).toEqual({ state: "gone" });
  });

  test("does not wait longer than it wants to", async () => {
    const client = await open();
    const { jid } = await client.put("k", 1);
    const late = client.waitFor(jid, { timeout: 30 });
    await expect(late).rejects.toBeInstanceOf(Timeout);
    await expect(late).rejects.toThrow(`Job ${jid} has not ended within 30 ms`);
    const control = new AbortController();
    const stopped = client.waitFor(jid, { signal: control.signal });
    setTimeout(() => control.abort(new Error("enough")), 20);
    await expect(stopped).rejects.toThrow("enough");
    const before = client.waitFor(jid, { signal: control.signal });
    await expect(before).rejects.toThrow("enough");
  });

  test("may be many, and none keeps listening afterwards", async () => {
    const client = await open();
    const put = await Promise.all(Array.from({ length: 50 }, () => client.put("k", 1)));
    const waiting = Promise.all(put.map(({ jid }) => client.waitFor(jid)));
    for (const job of await client.queue("k").pop({ count: 50 })) await job.complete();
    expect((await waiting).every(({ state }) => state === "complete")).toBe(true);
  });
});
