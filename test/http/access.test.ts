import { connect } from "node:net";
import { expect, test } from "vitest";
import { everyServer, type OpenBench, TOKENS, tokens } from "./support.ts";

/** What the server answers to these bytes, until it closes the connection. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    socket.on("close", () => resolve(text)).on("error", reject);
  });
}

const bearer = (role: keyof typeof TOKENS) => ({ authorization: `Bearer ${TOKENS[role]}` });

everyServer("the address of a caller", (open) => {
  /** Who takes a job, which is known by the address. */
  async function takenBy(bench: Awaited<ReturnType<OpenBench>>, forwarded: string) {
    await bench.client.put("q", 1, { jid: "a", ifExists: "replace" });
    await bench.get("/get/q", { "x-forwarded-for": forwarded });
    return (await bench.client.get("a"))!.worker;
  }

  test("is read from the right of X-Forwarded-For, past the proxies that are trusted", async () => {
    const one = await open({ trustProxy: 1 });
    expect(await takenBy(one, "6.6.6.6, 203.0.113.9")).toBe("203.0.113.9");
    expect(await takenBy(one, "203.0.113.9")).toBe("203.0.113.9");
    const two = await open({ trustProxy: 2 });
    expect(await takenBy(two, "6.6.6.6, 203.0.113.9, 10.0.0.1")).toBe("203.0.113.9");
    const network = await open({ trustProxy: ["127.0.0.1", "10.0.0.0/8"] });
    expect(await takenBy(network, "6.6.6.6, 203.0.113.9, 10.9.9.9")).toBe("203.0.113.9");
    const other = await open({ trustProxy: "192.0.2.1" });
    expect(await takenBy(other, "6.6.6.6")).toBe("127.0.0.1");
  });

  test("is never a text that a caller made up", async () => {
    const bench = await open({ trustProxy: 1 });
    expect(await takenBy(bench, "evil-worker-name")).toBe("127.0.0.1");
  });

  test("counts guesses of tokens together, whatever a caller puts before it", async () => {
    const bench = await open({ tokens: tokens(), trustProxy: 1, rateLimit: 3 });
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) {
      const headers = { "x-forwarded-for": `10.0.0.${i}, 203.0.113.9` };
      statuses.push((await bench.get("/queues", headers)).status);
    }
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(3);
  });
});

everyServer("errors of the framework", (open) => {
  const BODIES: [headers: Record<string, string>, body: string][] = [
    [{ "content-type": "application/json" }, ""],
    [{ "content-type": "application/json" }, "{"],
    [{ "content-type": "application/json" }, `"${"x".repeat(2_000_000)}"`],
    [{ "content-type": "text/plain" }, "x"],
  ];
  const PLACES: [method: string, path: string][] = [
    ["POST", "/nowhere"],
    ["PUT", "/queues"],
    ["POST", "/api/v1/nowhere"],
    ["DELETE", "/api/v1/jobs/a/b/c"],
    ["POST", "/api/v1/jobs"],
    ["GET", "/%zz"],
  ];

  test("have the form of all others and the headers of security", async () => {
    const bench = await open();
    for (const [method, path] of PLACES) {
      for (const [headers, body] of BODIES) {
        const sends = method === "GET" ? undefined : body;
        const told = await bench.ask(method, path, sends, headers).catch(() => undefined);
        // The server may close the connection while a body that is too long is still being sent.
        if (told === undefined) continue;
        expect([400, 404, 405, 413, 415, 422], `${method} ${path}`).toContain(told.status);
        expect(told.headers.get("x-content-type-options")).toBe("nosniff");
        expect(told.headers.get("content-security-policy")).toContain("default-src 'none'");
        expect(told.text).not.toContain("FST_ERR");
        expect(told.text).not.toContain("statusCode");
        if (told.body.error === undefined) expect(told.body).toHaveProperty("results");
      }
    }
  });

  test("come after authentication", async () => {
    const bench = await open({ tokens: tokens() });
    for (const [method, path] of PLACES) {
      // A form is refused first, as coming from a foreign page.
      for (const [headers, body] of BODIES.slice(0, 3)) {
        const sends = method === "GET" ? undefined : body;
        const told = await bench.ask(method, path, sends, headers).catch(() => undefined);
        if (told !== undefined) expect(told.status, `${method} ${path}`).toBe(401);
      }
    }
    expect((await bench.get("/nowhere", bearer("read"))).status).toBe(404);
    expect((await bench.get("/%zz", bearer("read"))).status).toBe(400);
  });

  test("of bytes that are no request have them too", async () => {
    const bench = await open();
    const answer = await raw(bench.port, "NONSENSE\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain("content-security-policy: default-src 'none'");
    expect(answer).toContain(
      '{"error":{"code":"BAD_REQUEST","message":"This is not an HTTP request"}}',
    );
    const long = `GET /queues HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(20_000)}\r\n\r\n`;
    expect(await raw(bench.port, long)).toMatch(/^HTTP\/1\.1 431 .*"code":"TOO_LARGE"/s);
  });
});

everyServer("the host of a request", (open) => {
  const under =
    (host: string) =>
    (port: number, path: string, more = "") =>
      raw(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`);
  const elsewhere = under("10.1.2.3:4774");

  test("may be any for health checks", async () => {
    const bench = await open({ tokens: tokens() });
    expect(await elsewhere(bench.port, "/healthz")).toContain(" 200 OK");
    expect(await elsewhere(bench.port, "/readyz")).toContain(" 200 OK");
    expect(await elsewhere(bench.port, "/queues")).toContain(" 421 ");
    expect(await elsewhere(bench.port, "/api/v1/openapi.json")).toContain(" 421 ");
  });

  test("may be any for metrics with a token, and must be allowed without", async () => {
    const guarded = await open({ tokens: tokens() });
    const token = `Authorization: Bearer ${TOKENS.read}\r\n`;
    expect(await elsewhere(guarded.port, "/metrics", token)).toContain(" 200 OK");
    expect(await elsewhere(guarded.port, "/metrics")).toContain(" 401 ");
    const free = await open({ hosts: ["prometheus.example.com"] });
    expect(await elsewhere(free.port, "/metrics")).toContain(" 421 ");
    expect(await under("prometheus.example.com")(free.port, "/metrics")).toContain(" 200 OK");
  });

  test("may be the address at which the server was reached", async () => {
    const bench = await open({ host: "0.0.0.0", insecure: true });
    const answer = await new Promise<string>((resolve, reject) => {
      let text = "";
      const request = "GET /queues HTTP/1.1\r\nHost: 127.0.0.2:80\r\nConnection: close\r\n\r\n";
      const socket = connect(bench.port, "127.0.0.2", () => socket.write(request));
      socket.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      socket.on("close", () => resolve(text)).on("error", reject);
    });
    expect(answer).toContain(" 200 OK");
    expect(await under("127.0.0.2")(bench.port, "/queues")).toContain(" 421 ");
  });
});

everyServer("a slow request", (open) => {
  test.concurrent("is ended with 408 when its headers take more than ten seconds", {
    timeout: 30_000,
  }, async () => {
    const bench = await open();
    const begun = performance.now();
    const answer = await raw(bench.port, "GET /queues HTTP/1.1\r\nHost: localhost\r\n");
    const took = performance.now() - begun;
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*"code":"TOO_SLOW"/s);
    expect(took).toBeGreaterThan(9_000);
    expect(took).toBeLessThan(14_000);
  });
});
