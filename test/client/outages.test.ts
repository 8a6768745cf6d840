import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { QlessEvent } from "../../src/client/event-types.ts";
import { connect } from "../../src/connect.ts";
import { firstTime, startProxy, type Wire } from "../redis/proxy.ts";
import { openRedis } from "../redis/support.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { connected } from "./connected.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis({ appendonly: true });
});
afterAll(() => server.stop());

describe("a mutation whose reply is cut off", () => {
  let wire: Wire;
  /** The client, and a job of each kind that verbs need. */
  async function prepared() {
    wire = await startProxy(server.port);
    const client = await connected(wire.url);
    const queue = client.queue("q");
    for (const jid of ["held", "idle", "last"]) await queue.put("k", { n: 1 }, { jid });
    const [held] = await queue.pop({ worker: "w" });
    return { client, queue, held: held!, idle: (await client.get("idle"))! };
  }
  type Prepared = Awaited<ReturnType<typeof prepared>>;

  const MUTATIONS: [string, (parts: Prepared) => Promise<unknown>, unknown][] = [
    ["put", ({ client }) => client.put("k", 1, { jid: "new" }), { jid: "new", outcome: "created" }],
    [
      "putMany",
      ({ client }) => client.putMany([{ klass: "k", data: 1, jid: "x" }]),
      [{ jid: "x" }],
    ],
    ["pop", ({ queue }) => queue.pop({ worker: "w" }), [{ jid: "idle" }]],
    ["heartbeat", ({ held }) => held.heartbeat({ n: 2 }), expect.any(Date)],
    ["complete", ({ held }) => held.complete(), "complete"],
    ["fail", ({ held }) => held.fail("g", "m"), undefined],
    ["retry", ({ held }) => held.retry(), 4],
    ["cancel", ({ idle }) => idle.cancel(), undefined],
    ["tag", ({ idle }) => idle.tag("a"), ["a"]],
    ["log", ({ idle }) => idle.log("once"), undefined],
    ["priority", ({ idle }) => idle.setPriority(3), undefined],
    ["track", ({ idle }) => idle.track(), undefined],
    ["timeout", async ({ client }) => (await client.get("held"))!.timeout(), undefined],
    ["config", ({ client }) => client.config.set("heartbeat", "90s"), undefined],
    ["recurring", ({ client }) => client.recurring.set("r", "k", 1, { interval: "1h" }), undefined],
    ["unpause", ({ queue }) => queue.unpause(), undefined],
  ];

  test.each(MUTATIONS)(
    "%s is carried out once, and answered rightly",
    async (_name, act, answer) => {
      const parts = await prepared();
      // A reading call may come first; only what carries a request id is of interest.
      let cuts = 0;
      wire.rule = (words) => {
        if (cuts > 0 || !words.some((word) => /^@[\w-]+$/.test(word))) return "pass";
        cuts += 1;
        return "lose-reply";
      };
      const given = await act(parts);
      if (answer === undefined) expect(given).toBeUndefined();
      else expect(given).toMatchObject(answer as object);
      expect(cuts).toBe(1);
      const job = await parts.client.get("idle");
      expect(job?.history.filter(({ what }) => what === "once").length ?? 0).toBeLessThan(2);
      expect(await parts.client.maintenance.check()).toEqual([]);
    },
  );

  test("pops no second job", async () => {
    const { client, queue } = await prepared();
    wire.rule = firstTime("FCALL", "lose-reply");
    expect(await queue.pop({ worker: "w" })).toMatchObject([{ jid: "idle" }]);
    expect(await client.workers.get("w")).toMatchObject({ jobs: expect.any(Array) });
    expect((await client.workers.get("w")).jobs).toHaveLength(2);
  });

  test("is carried out once for each of hundreds", async () => {
    const { client } = await prepared();
    let calls = 0;
    wire.rule = ([name]) => {
      if (name?.toUpperCase() !== "FCALL") return "pass";
      calls += 1;
      return calls === 2 || calls === 5 ? "lose-reply" : "pass";
    };
    const logs: Promise<void>[] = [];
    const job = (await client.get("last"))!;
    for (let i = 0; i < 60; i++) logs.push(job.log(`entry ${i}`));
    await Promise.all(logs);
    await job.refresh();
    const entries = job.history.map(({ what }) => what).filter((what) => what.startsWith("entry"));
    expect(new Set(entries).size).toBe(60);
    expect(entries).toHaveLength(60);
  });
});

describe("a server that loses what it was taught", () => {
  test.each([
    ["FUNCTION", "FLUSH"],
    ["SCRIPT", "FLUSH"],
  ])("%s %s under load is not noticed", async (...flush) => {
    const mode = flush[0] === "SCRIPT" ? "scripts" : "functions";
    const client = await connected(server.url, { mode });
    const redis = openRedis(server.url);
    const flushing = (async () => {
      for (let i = 0; i < 5; i++) await redis.call(...(flush as [string, string]));
    })();
    const puts = Array.from({ length: 500 }, (_, i) =>
      client.put("k", i, { jid: `j${i}`, timeout: "10s" }),
    );
    const results = await Promise.all(puts);
    await flushing;
    expect(new Set(results.map(({ jid }) => jid)).size).toBe(500);
    expect(await client.queue("k").length()).toBe(500);
  });
});

describe("a server that goes away and comes back", () => {
  test("keeps calls waiting, tells listeners, and wakes who waits for a job", async () => {
    const first = await startRedis({ appendonly: true });
    const wire = await startProxy(first.port);
    const client = await connected(wire.url);
    const other = await connected(wire.url, { namespace: client.engine.namespace });
    const heard: QlessEvent[] = [];
    await client.events.on({}, (event) => heard.push(event));
    await client.put("k", 1, { jid: "a" });
    const waiting = client.waitFor("a", { timeout: "20s" });
    const second = await startRedis({ args: ["--replicaof", "127.0.0.1", String(first.port)] });
    onTestFinished(() => second.stop());
    const replica = openRedis(second.url);
    await expect
      .poll(async () => (await replica.info("replication")).includes("master_link_status:up"))
      .toBe(true);
    expect(await openRedis(first.url).wait(1, 5000)).toBe(1);
    // A failover: the primary dies, the replica takes its place.
    await first.stop();
    const put = client.put("k", 2, { jid: "b" });
    await replica.call("REPLICAOF", "NO", "ONE");
    wire.target = second.port;
    wire.cutAll();
    expect(await put).toEqual({ jid: "b", outcome: "created" });
    const [job] = await other.queue("k").pop();
    expect(job!.jid).toBe("a");
    await job!.complete();
    expect(await waiting).toMatchObject({ state: "complete" });
    await expect.poll(() => heard.some(({ event }) => event === "missed")).toBe(true);
    expect(await client.maintenance.check()).toEqual([]);
  }, 40_000);

  test("makes calls fail at once where that was asked for", async () => {
    const wire = await startProxy(server.port);
    const client = await connected(wire.url, { whenDown: "fail", timeout: "20s" });
    await client.put("k", 1);
    wire.rule = () => "lose-request";
    wire.cutAll();
    await expect
      .poll(async () => {
        const begun = Date.now();
        const error = await client.get("a").catch((reason: unknown) => reason);
        return [(error as { name?: string })?.name, Date.now() - begun < 1000];
      })
      .toEqual(["Unreachable", true]);
  });

  test("is told apart from a call that takes too long", async () => {
    const client = await connected(server.url);
    process.kill(server.pid, "SIGSTOP");
    try {
      const late = client.get("a", { timeout: 50 });
      await expect(late).rejects.toMatchObject({ name: "Timeout", code: "TIMEOUT" });
      const control = new AbortController();
      const stopped = client.put("k", 1, { signal: control.signal });
      setTimeout(() => control.abort(), 20);
      await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
    } finally {
      process.kill(server.pid, "SIGCONT");
    }
  });
});

test("passwords are in no error", async () => {
  const url = `redis://user:hunter2@127.0.0.1:${server.port}`;
  const error = await connect(url, { timeout: "2s" }).catch((reason: unknown) => reason);
  expect(String(error)).not.toContain("hunter2");
  expect(JSON.stringify(error)).not.toContain("hunter2");
  expect(error).toMatchObject({ name: "Unreachable", code: "WRONGPASS" });
});
