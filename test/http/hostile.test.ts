import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Bench, everyServer, TOKENS, tokens } from "./support.ts";

/** Sockets to the server, which are gone when the test is over. */
async function sockets(bench: Bench, count: number, text: string): Promise<Socket[]> {
  const all = Array.from({ length: count }, () => connect(bench.port, "127.0.0.1"));
  onTestFinished(() => {
    for (const socket of all) socket.destroy();
  });
  await Promise.all(all.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
  for (const socket of all) {
    socket.on("error", () => {});
    if (text !== "") socket.write(text);
  }
  return all;
}

/** How long the server takes to say that it is well, in milliseconds. */
async function pulse(bench: Bench): Promise<number> {
  const begun = performance.now();
  expect((await bench.get("/healthz")).status).toBe(200);
  return performance.now() - begun;
}

everyServer("a server among the hostile", (open) => {
  test("answers others at once while 500 sockets do nothing, or begin and never end", async () => {
    const bench = await open();
    await pulse(bench);
    await sockets(bench, 250, "");
    await sockets(bench, 150, "GET /queues HTTP/1.1\r\nHost: loc");
    const head = "POST /add/q HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    await sockets(bench, 100, `${head}Content-Length: 100\r\n\r\n{`);
    const pulses: number[] = [];
    for (let i = 0; i < 20; i++) pulses.push(await pulse(bench));
    // Most of them: a busy machine may let anybody wait for once.
    expect(pulses.filter((ms) => ms < 500).length, pulses.join(" ")).toBeGreaterThan(15);
  });

  test("reads no body that is too long, by its length or as it comes", async () => {
    const bench = await open();
    const huge = "x".repeat(8_000_000);
    const posts = Array.from({ length: 30 }, () =>
      bench.post("/api/v1/jobs", `{"klass":"${huge}"}`).then(
        ({ status }) => status,
        () => "closed",
      ),
    );
    for (const outcome of await Promise.all(posts)) expect([413, "closed"]).toContain(outcome);
    const head = "POST /add/q HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const [socket] = await sockets(bench, 1, `${head}Transfer-Encoding: chunked\r\n\r\n`);
    let answer = "";
    socket!.on("data", (bytes) => {
      answer += String(bytes);
    });
    for (let i = 0; i < 40 && answer === ""; i++) {
      socket!.write(`10000\r\n${"y".repeat(65_536)}\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await expect.poll(() => answer).toMatch(/^HTTP\/1\.1 413/);
    expect(await bench.client.queues()).toEqual([]);
  });

  test("carries on when callers hang up in the middle", async () => {
    const bench = await open();
    await bench.client
      .queue("q")
      .putMany(Array.from({ length: 50 }, (_, n) => ({ klass: "k", data: n })));
    const body = JSON.stringify({ queues: ["q"], worker: "gone" });
    const head = `POST /api/v1/pop HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    for (let i = 0; i < 25; i++) {
      const [socket] = await sockets(bench, 1, head + body.slice(0, i));
      socket!.destroy();
    }
    expect(await pulse(bench)).toBeLessThan(2000);
    expect((await bench.client.queue("q").counts()).waiting).toBe(50);
  });

  test("never answers one request with the answer of another on the same socket", async () => {
    const bench = await open();
    for (let i = 0; i < 5; i++) await bench.client.put("q", i, { jid: `j${i}` });
    const asks = Array.from(
      { length: 5 },
      (_, i) => `GET /job/j${i} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    const [socket] = await sockets(bench, 1, asks.join(""));
    let text = "";
    socket!.on("data", (bytes) => {
      text += String(bytes);
    });
    await expect.poll(() => text.match(/"meta":\d/g)?.length).toBe(5);
    expect(text.match(/"meta":\d/g)).toEqual([0, 1, 2, 3, 4].map((n) => `"meta":${n}`));
  });

  test("shows no secret in any answer, metric or log", async () => {
    const lines: string[] = [];
    const note = (facts: object, sentence: string) =>
      void lines.push(JSON.stringify([facts, sentence]));
    const logger = { debug: note, info: note, warn: note, error: note };
    const bench = await open({ tokens: tokens(), logger });
    const headers = { authorization: `Bearer ${TOKENS.admin}` };
    const texts: string[] = [];
    for (const path of [
      "/api/v1/server",
      "/metrics",
      "/api/v1/config",
      "/queues",
      "/api/v1/operations",
    ]) {
      texts.push((await bench.get(path, headers)).text);
    }
    const wrong = { authorization: `Bearer ${TOKENS.admin}-wrong` };
    texts.push((await bench.get("/queues", wrong)).text);
    await bench.put("/api/v1/config/heartbeat", { value: 30 }, headers);
    for (const text of [...texts, ...lines]) expect(text).not.toContain(TOKENS.admin);
    expect(lines.join()).toContain("the-admin");
  });
});
