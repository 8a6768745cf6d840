import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES } from "../../src/http/table.ts";
import { connected } from "../client/connected.ts";
import { startProxy } from "../redis/proxy.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { prepare, SAMPLES } from "./samples.ts";
import { served } from "./support.ts";

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

/** A server whose way to Redis the test can cut. */
async function fragile() {
  const wire = await startProxy(server.port);
  // Short, for what is away is waited for; long enough for a busy machine to connect.
  const client = await connected(wire.url, { timeout: 2000 });
  return { wire, bench: await served(client, { history: false }) };
}

/** Nobody listens there. */
const NOWHERE = 1;

/** Answered by the server alone. */
const ALONE = [
  "/healthz",
  "/api/v1/openapi.json",
  "/api/v1/cron",
  "/api/v1/operations",
  "/metrics",
];

describe("while the store is away", () => {
  test("every route says so with 503 and when to try again, and works again by itself", async () => {
    const { wire, bench } = await fragile();
    const prepared = await prepare(bench.client);
    wire.target = NOWHERE;
    wire.cutAll();
    const asked = ROUTES.filter(
      ({ path, media }) =>
        !ALONE.includes(path) &&
        !media.startsWith("text/html") &&
        !/operations|bulk|check$/.test(path),
    );
    const answers = await Promise.all(
      asked.map(async ({ method, path }) => {
        const sample = SAMPLES[`${method} ${path}`]!(prepared);
        return { at: `${method} ${path}`, ...(await bench.ask(method, sample.path, sample.body)) };
      }),
    );
    for (const { at, status, headers, body } of answers) {
      expect(status, at).toBe(503);
      expect(headers.get("retry-after"), at).toBe("2");
      expect(JSON.stringify(body), at).not.toMatch(/127\.0\.0\.1|\bat .*\(|node:|\.ts:/);
    }
    wire.target = server.port;
    await expect
      .poll(async () => (await bench.get("/readyz")).status, { timeout: 10_000 })
      .toBe(200);
    expect((await bench.get("/api/v1/queues/q")).body.waiting).toBe(2);
  }, 60_000);

  test("the server is healthy, not ready, and tells metrics without queues", async () => {
    const { wire, bench } = await fragile();
    await bench.client.put("q", 1);
    wire.target = NOWHERE;
    wire.cutAll();
    expect((await bench.get("/healthz")).status).toBe(200);
    expect((await bench.get("/readyz")).status).toBe(503);
    const { status, text } = await bench.get("/metrics");
    expect(status).toBe(200);
    expect(text).toContain("qless_up 0");
    expect(text).not.toContain("qless_jobs{");
    wire.target = server.port;
    await expect
      .poll(async () => (await bench.get("/metrics")).text, { timeout: 10_000 })
      .toContain('qless_jobs{queue="q",state="waiting"} 1');
  });

  test("a request that waits for jobs is answered, and one that comes after gets its job", async () => {
    const { wire, bench } = await fragile();
    const pop = () => bench.post("/api/v1/pop", { queues: ["q"], worker: "w", wait: 20 });
    expect((await bench.post("/api/v1/pop", { queues: ["q"], wait: 0.01 })).status).toBe(200);
    wire.target = NOWHERE;
    wire.cutAll();
    expect((await pop()).status).toBe(503);
    wire.target = server.port;
    await expect
      .poll(async () => (await bench.get("/readyz")).status, { timeout: 10_000 })
      .toBe(200);
    let isWaiting = false;
    wire.rule = (words) => {
      if (words.includes("qless_wait")) isWaiting = true;
      return "pass";
    };
    const waiting = pop();
    await expect.poll(() => isWaiting, { timeout: 10_000 }).toBe(true);
    await bench.client.put("q", 7);
    expect((await waiting).body.jobs).toMatchObject([{ data: 7 }]);
  });

  test("a request whose fate is not known says so, and is safe to send again with its key", async () => {
    const { wire, bench } = await fragile();
    const key = { "idempotency-key": "one" };
    let cuts = 0;
    wire.rule = (words) => {
      if (!words.includes("qless_put") || cuts > 200) return "pass";
      cuts += 1;
      return "lose-reply";
    };
    const lost = await bench.post("/api/v1/jobs", { klass: "q", data: 1 }, key);
    expect(lost).toMatchObject({ status: 503, body: { error: { uncertain: true } } });
    wire.rule = () => "pass";
    const again = await bench.post("/api/v1/jobs", { klass: "q", data: 1 }, key);
    expect(again).toMatchObject({ status: 200, body: { outcome: "created" } });
    expect((await bench.client.queue("q").counts()).waiting).toBe(1);
  });

  test("a stream of events is told what it missed", async () => {
    const { wire, bench } = await fragile();
    const response = await fetch(`${bench.url}/api/v1/events`);
    let text = "";
    void (async () => {
      for await (const piece of response.body!) text += new TextDecoder().decode(piece);
    })().catch(() => {});
    wire.cutAll();
    await expect.poll(() => text, { timeout: 10_000 }).toContain("event: missed");
    await bench.client.put("q", 1);
    await expect.poll(() => text, { timeout: 10_000 }).toContain("event: put");
  });
});
