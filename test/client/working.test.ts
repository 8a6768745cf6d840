import { expect, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { everyClient } from "./every-client.ts";

everyClient("many runs at once", (open) => {
  test("are renewed, each for itself", async () => {
    const client = await open();
    await client.put("q", 1, { jid: "a" });
    const [job] = await client.queue("q").pop({ worker: "w" });
    const { jid, lease } = job!;
    const beats = [{ jid, lease, data: 2 }, { jid, lease: lease + 1 }, { jid: "nobody" }];
    const answers = await client.heartbeat("w", beats);
    expect(answers).toMatchObject([
      { ok: true, value: expect.stringMatching(/^\d+/) },
      { ok: false, error: { code: "LOCK_LOST" } },
      { ok: false, error: { code: "NO_SUCH_JOB" } },
    ]);
    expect((await client.get("a"))!.data).toBe(2);
    expect(await client.heartbeat("w", [])).toEqual([]);
  });

  test("are ended, each for itself, and bring the next jobs", async () => {
    const client = await open();
    for (const jid of ["a", "b", "c", "d"]) await client.put("q", { jid }, { jid });
    await client.queue("q").pop({ worker: "w", count: 3 });
    const { answers, jobs } = await client.finish(
      "w",
      [
        { verb: "complete", jid: "a", data: 2, next: "r", delay: "1h" },
        { verb: "fail", jid: "b", group: "g", message: "m" },
        { verb: "retry", jid: "c", delay: "1h", spend: false },
        { verb: "complete", jid: "nobody" },
      ],
      { queues: ["q"], count: 9 },
    );
    expect(answers.map((one) => (one.ok ? one.value : one.error.message))).toEqual([
      "scheduled",
      "failed",
      "5",
      expect.stringContaining("nobody"),
    ]);
    expect(jobs).toMatchObject([{ jid: "d", worker: "w", data: { jid: "d" } }]);
    expect(await client.get("a")).toMatchObject({ queue: "r", data: 2 });
  });
});

everyClient("what else the client tells", (open) => {
  test("are the most used tags, and the tracked jobs", async () => {
    const client = await open();
    for (const jid of ["a", "b"]) await client.put("k", 1, { jid, tags: ["x"] });
    await (await client.get("a"))!.track();
    expect(await client.topTags()).toEqual(["x"]);
    expect(await client.tracked()).toMatchObject({ jobs: [{ jid: "a" }], expired: [] });
  });

  test("is a job as the protocol shows it", async () => {
    const client = await open();
    await client.put("k", { n: 1 }, { jid: "a", cutoff: "90s" });
    expect(JSON.parse(JSON.stringify(await client.get("a")))).toMatchObject({
      jid: "a",
      data: '{"n":1}',
      cutoff: 90,
    });
    const [job] = await client.queue("k").pop();
    expect(job!.cutoffMs).toBe(90_000);
  });

  test("are the jobs that a change of many has changed", async () => {
    const client = await open();
    for (const jid of ["a", "b"]) await client.put("k", 1, { jid });
    await client.put("k", 1, { jid: "c", depends: ["a"] });
    const changed: string[] = [];
    const found = client.search({ queue: "k", state: "waiting" });
    await found.cancel({ onChanged: (jids) => void changed.push(...jids) });
    expect(changed).toEqual(["b"]);
  });
});

everyClient("a client that is made for one request", (open) => {
  test("repeats the answers of another that was made for the same", async () => {
    const { engine } = await open();
    const acted = async () => {
      const client = new Client(engine, { name: "me", requests: "order-4711" });
      const { jid } = await client.put("k", 1, { jid: "a" });
      const [job] = await client.queue("k").pop({ worker: "w" });
      return [jid, job?.lease];
    };
    const first = await acted();
    expect(await acted()).toEqual(first);
    expect((await new Client(engine).queue("k").counts()).running).toBe(1);
  });
});
