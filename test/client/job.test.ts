import { expect, test } from "vitest";
import { everyClient } from "./every-client.ts";

everyClient("a job", (open) => {
  test("shows what it is and what happened to it", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", { a: 1 }, { tags: ["x"] });
    const job = (await client.get(jid))!;
    await job.log("halfway", { page: 3 });
    const [running] = await client.queue("q").pop({ worker: "w" });
    await running!.fail("smtp", "no route");
    expect(await job.refresh()).toBe(true);
    expect(job).toMatchObject({ state: "failed", worker: "", tags: ["x"], tracked: false });
    expect(job.failure).toMatchObject({ group: "smtp", message: "no route", worker: "w" });
    expect(job.history.map(({ what }) => what)).toEqual(["put", "halfway", "popped", "failed"]);
    expect(job.history[1]!.details).toEqual({ page: 3 });
    expect(Math.abs(job.history[0]!.when.getTime() - Date.now())).toBeLessThan(60_000);
    await job.cancel();
    expect(await job.refresh()).toBe(false);
    expect(job.state).toBe("failed");
  });

  test("tells its first failure beside the last, until it gets through", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const job = (await client.get(jid))!;
    expect([job.firstFailure, job.failure]).toEqual([undefined, undefined]);
    for (const [group, message] of [
      ["dns", "no such host"],
      ["smtp", "no route"],
    ] as const) {
      const [running] = await client.queue("q").pop({ worker: "w" });
      await running!.retry({ group, message });
    }
    await job.refresh();
    expect(job.firstFailure).toMatchObject({ group: "dns", message: "no such host", worker: "w" });
    expect(job.firstFailure!.when).toBeInstanceOf(Date);
    expect(job.failure).toMatchObject({ group: "smtp", message: "no route" });
    const [running] = await client.queue("q").pop({ worker: "w" });
    await running!.complete();
    await job.refresh();
    expect([job.firstFailure, job.failure]).toEqual([undefined, undefined]);
  });

  test("changes its priority and its tags", async () => {
    const client = await open();
    const { jid } = await client.put("k", {}, { tags: ["a"] });
    const job = (await client.get(jid))!;
    await job.setPriority(7);
    expect(await job.tag("b", "c")).toEqual(["a", "b", "c"]);
    expect(await job.untag("a")).toEqual(["b", "c"]);
    await job.refresh();
    expect(job).toMatchObject({ priority: 7, tags: ["b", "c"] });
  });

  test("begins and ceases to wait for others", async () => {
    const client = await open();
    for (const jid of ["a", "b"]) await client.put("k", {}, { jid });
    await client.put("k", {}, { jid: "c", depends: ["a"] });
    const job = (await client.get("c"))!;
    await job.dependOn("b");
    await job.refresh();
    expect(new Set(job.dependencies)).toEqual(new Set(["a", "b"]));
    await job.undepend("a");
    await job.refresh();
    expect(job.dependencies).toEqual(["b"]);
    expect((await client.get("b"))!.dependents).toEqual(["c"]);
    await job.undepend();
    await job.refresh();
    expect(job).toMatchObject({ state: "waiting", dependencies: [] });
  });

  test("is tracked and untracked", async () => {
    const client = await open();
    const { jid } = await client.put("k", {});
    const job = (await client.get(jid))!;
    await job.track();
    await job.refresh();
    expect(job.tracked).toBe(true);
    await job.untrack();
    await job.refresh();
    expect(job.tracked).toBe(false);
  });

  test("explains why it does not run", async () => {
    const client = await open();
    await client.put("k", {}, { jid: "a", delay: "1h" });
    const { state, queue, reasons } = await (await client.get("a"))!.explain();
    expect([state, queue]).toEqual(["scheduled", "k"]);
    expect(reasons[0]).toMatchObject({ reason: "scheduled", until: expect.any(Date) });
  });

  test("is canceled together with those that wait for it, or not at all", async () => {
    const client = await open();
    await client.put("k", {}, { jid: "a" });
    await client.put("k", {}, { jid: "b", depends: ["a"] });
    await expect(client.cancel(["a"])).rejects.toMatchObject({ code: "HAS_DEPENDENTS" });
    await client.cancel(["a", "b"]);
    expect(await client.getMany(["a", "b"])).toEqual([]);
    await client.cancel([]);
  });
});
