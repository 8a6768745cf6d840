import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import fastify from "fastify";
import { describe, expect, onTestFinished, test } from "vitest";
import { qlessHttp, requestListener, serve } from "../../src/http/index.ts";
import { folderOf } from "../cli/support.ts";
import { openClient } from "../client/every-client.ts";
import { everyServer, TOKENS, tokens } from "./support.ts";

everyServer("a server", (open) => {
  test("takes bodies up to a limit", async () => {
    const bench = await open({ maxBody: 2000 });
    const put = (length: number) =>
      bench.post("/api/v1/jobs", { klass: "k", data: "x".repeat(length) });
    expect((await put(1900)).status).toBe(200);
    expect(await put(2100)).toMatchObject({ status: 413, body: { error: { code: "TOO_LARGE" } } });
    expect((await bench.client.queue("k").counts()).waiting).toBe(1);
  });

  test("limits how many requests a caller makes, and others not for it", async () => {
    const bench = await open({ rateLimit: 5, tokens: tokens() });
    const as = (role: "read" | "admin") => ({ authorization: `Bearer ${TOKENS[role]}` });
    const statuses: number[] = [];
    for (let i = 0; i < 15; i++) statuses.push((await bench.get("/queues", as("read"))).status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(statuses).toContain(429);
    const refused = await bench.get("/queues", as("read"));
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.body.error).toMatch(/More than 5 requests a second; try again in 1 s/);
    expect((await bench.get("/queues", as("admin"))).status).toBe(200);
    expect((await bench.get("/healthz")).status).toBe(200);
  });

  test("works under a base path, and only there", async () => {
    const bench = await open({ base: "/tools/qless/" });
    expect(bench.url).toMatch(/:\d+\/tools\/qless$/);
    expect((await bench.get("/queues")).status).toBe(200);
    expect((await bench.get("/api/v1/jobs/nobody")).body.error.code).toBe("NO_SUCH_JOB");
    expect((await bench.ask("DELETE", "/queues")).status).toBe(405);
    for (const path of ["/ui", "/", ""]) {
      const { status, headers } = await bench.get(path);
      expect(status, path).toBe(302);
      const { pathname } = new URL(headers.get("location")!, bench.url + path);
      expect(pathname, path).toBe("/tools/qless/ui/");
    }
    const outside = await fetch(`http://127.0.0.1:${bench.port}/queues`);
    expect(outside.status).toBe(404);
  });

  test("believes a proxy only if it is told to", async () => {
    const headers = { "x-forwarded-for": "10.1.2.3", "x-forwarded-host": "queue.example.com" };
    const plain = await open();
    await plain.client.put("q", 1, { jid: "a" });
    await plain.get("/get/q", headers);
    expect((await plain.client.get("a"))!.worker).toBe("127.0.0.1");
    const behind = await open({ trustProxy: 1, hosts: ["queue.example.com"] });
    await behind.client.put("q", 1, { jid: "a" });
    const origin = { ...headers, origin: "https://queue.example.com" };
    expect((await behind.get("/get/q", origin)).status).toBe(200);
    expect((await behind.client.get("a"))!.worker).toBe("10.1.2.3");
  });

  test("shows a plain page where the web interface was not built, and its files where it was", async () => {
    const plain = await open();
    const page = await plain.get("/ui/");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.text).toContain("not part of this build");
    const ui = folderOf({
      "ui/index.html": "<title>ui</title>",
      "ui/assets/main-0a1b2c3d.js": "1",
      "secret.js": "secret",
    });
    const bench = await open({ ui: `${ui}/ui` });
    expect((await bench.get("/ui/")).text).toBe("<title>ui</title>");
    expect((await bench.get("/ui/jobs/a")).text).toBe("<title>ui</title>");
    const script = await bench.get("/ui/assets/main-0a1b2c3d.js");
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(script.headers.get("cache-control")).toContain("immutable");
    for (const path of [
      "/ui/missing.js",
      "/ui/..%2fsecret.js",
      "/ui/%2e%2e/secret.js",
      "/ui/a.exe",
    ]) {
      expect((await bench.get(path)).status, path).toBe(404);
    }
  });

  test("lets requests end that run when it stops, and takes no more", async () => {
    const bench = await open({ grace: "5s" });
    const agent = { host: "127.0.0.1", port: bench.port };
    const text = JSON.stringify({ klass: "k", data: 1 });
    const headers = { "content-type": "application/json", "content-length": text.length };
    const options = { ...agent, method: "POST", path: "/api/v1/jobs" };
    const sending = request({ ...options, headers: { ...headers, expect: "100-continue" } });
    const answered = new Promise<number>((resolve, reject) => {
      sending.on("error", reject);
      sending.on("response", (response) => {
        response.resume();
        resolve(response.statusCode!);
      });
    });
    sending.flushHeaders();
    // The server has begun to read it.
    await once(sending, "continue");
    sending.write(text.slice(0, 5));
    const begun = performance.now();
    const stopped = bench.served.stop();
    // The rest of the body comes while the server stops.
    setTimeout(() => sending.end(text.slice(5)), 100);
    expect(await answered).toBe(200);
    await stopped;
    // Its connection, which could take another request, is not waited for.
    expect(performance.now() - begun).toBeLessThan(3000);
    await expect(fetch(`${bench.url}/queues`)).rejects.toThrow();
    expect((await bench.client.queue("k").counts()).waiting).toBe(1);
  });

  test("does not wait for ever for a caller that never ends its request", async () => {
    const bench = await open({ grace: "300ms" });
    const socket = connect(bench.port, "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    const begun = performance.now();
    await bench.served.stop();
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  test("looks after queues that nobody pops from, and fires schedules", async () => {
    const bench = await open({ upkeep: true });
    await bench.client.config.set("heartbeat", 1);
    await bench.client.config.set("grace-period", 0);
    await bench.client.put("q", 1, { jid: "a" });
    await bench.client.queue("q").pop({ worker: "dead" });
    await bench.client.schedules.set("s", "scheduled", {}, { cron: "* * * * * *" });
    const waits = async () => (await bench.client.get("a"))!.history.map(({ what }) => what);
    await expect.poll(waits, { timeout: 14_000 }).toContain("timed-out");
    const fired = async () => (await bench.client.queue("scheduled").counts()).waiting;
    await expect.poll(fired, { timeout: 14_000 }).toBeGreaterThan(0);
  });
});

everyServer("changes of many jobs", (open) => {
  test("say first how many, then go on in slices that can be followed", async () => {
    const bench = await open();
    for (let i = 0; i < 3; i++) {
      await bench.client
        .queue("q")
        .putMany(Array.from({ length: 400 }, () => ({ klass: "k", data: i })));
    }
    const filter = { queue: "q", state: "waiting" };
    const dry = await bench.post("/api/v1/bulk", {
      action: "cancel",
      filter,
      dry_run: true,
      wait: 20,
    });
    expect(dry).toMatchObject({ status: 202, body: { state: "done", found: 1200, done: 0 } });
    expect((await bench.client.queue("q").counts()).waiting).toBe(1200);
    const begun = await bench.post("/api/v1/bulk", { action: "move", queue: "other", filter });
    expect(begun.body).toMatchObject({ state: "running", action: "move", by: "anonymous" });
    const ended = await bench.get(`/api/v1/operations/${begun.body.id}?wait=20`);
    expect(ended.body).toMatchObject({ state: "done", found: 1200, done: 1200, refused: 0 });
    expect((await bench.client.queue("other").counts()).waiting).toBe(1200);
    const { operations } = (await bench.get("/api/v1/operations")).body;
    expect(operations.map(({ action }: { action: string }) => action)).toEqual([
      "move",
      "cancel (dry run)",
    ]);
  });

  test("tell which were refused, and need what their action needs", async () => {
    const bench = await open();
    await bench.client.put("q", 1, { jid: "a" });
    await bench.client.put("q", 1, { jid: "b", depends: ["a"] });
    const cancel = { action: "cancel", filter: { queue: "q", state: "waiting" }, wait: 20 };
    const { body } = await bench.post("/api/v1/bulk", cancel);
    expect(body).toMatchObject({
      found: 1,
      done: 0,
      refused: 1,
      errors: [{ jid: "a", code: "HAS_DEPENDENTS" }],
    });
    const wrong: [body: object, says: string][] = [
      [{ action: "move", filter: { queue: "q" } }, "move needs queue"],
      [{ action: "tag", filter: { queue: "q" } }, "tag needs tags"],
      [{ action: "cancel", filter: {} }, "filter must be an object with at least one criterion"],
      [
        { action: "cancel", filter: { order: "newest" } },
        "filter must have a criterion besides order",
      ],
      [{ action: "drop", filter: { queue: "q" } }, "action must be one of retry, cancel, move"],
    ];
    for (const [given, says] of wrong) {
      const answer = await bench.post("/api/v1/bulk", given);
      expect(answer.status).toBe(400);
      expect(answer.body.error.message).toContain(says);
    }
  });

  test("can be stopped", async () => {
    const bench = await open();
    for (let i = 0; i < 5; i++) {
      await bench.client
        .queue("q")
        .putMany(Array.from({ length: 1000 }, () => ({ klass: "k", data: i })));
    }
    const bulk = { action: "tag", tags: ["x"], filter: { queue: "q" } };
    const { id } = (await bench.post("/api/v1/bulk", bulk)).body;
    const { body } = await bench.delete(`/api/v1/operations/${id}`);
    expect(body).toMatchObject({ state: "stopped", error: { code: "STOPPED" } });
    expect(body.done).toBeLessThan(5000);
    expect((await bench.get("/api/v1/operations/nobody")).status).toBe(404);
  });
});

describe("the plugin and the listener", () => {
  test("live in an app of the user's own, and leave it alone", async () => {
    const client = await openClient("sqlite");
    const app = fastify();
    app.get("/mine", () => ({ mine: true }));
    app.post("/form", (request) => request.body);
    await app.register(qlessHttp, { client, prefix: "/queue", upkeep: false });
    await app.listen({ port: 0 });
    const { port } = app.server.address() as { port: number };
    const at = `http://127.0.0.1:${port}`;
    const mine = await fetch(`${at}/mine`);
    expect(await mine.json()).toEqual({ mine: true });
    expect(mine.headers.get("content-security-policy")).toBeNull();
    const form = await fetch(`${at}/form`, { method: "POST", body: "text" });
    expect(await form.text()).toBe("text");
    expect(await (await fetch(`${at}/queue/queues`)).json()).toMatchObject({ results: [] });
    expect(await (await fetch(`${at}/queue/nothing`)).json()).toMatchObject({
      error: { code: "NO_SUCH_ROUTE" },
    });
    expect((await fetch(`${at}/nothing`)).headers.get("content-security-policy")).toBeNull();
    await app.close();
    expect(await client.queues()).toEqual([]);
    await client.close();
  });

  test("share the root of an app that answers by itself what nobody knows", async () => {
    const client = await openClient("sqlite");
    const app = fastify();
    app.setNotFoundHandler(() => "mine");
    await app.register(qlessHttp, { client, upkeep: false });
    expect((await app.inject({ url: "/queues" })).json()).toMatchObject({ results: [] });
    expect((await app.inject({ url: "/nothing" })).payload).toBe("mine");
    await app.close();
    await client.close();
  });

  test("answer as the listener of a server of Node's own", async () => {
    const client = await openClient("sqlite");
    const listener = await requestListener(client, { upkeep: false });
    const server = createServer(listener).listen(0, "127.0.0.1");
    const { port } = await new Promise<{ port: number }>((resolve) =>
      server.once("listening", () => resolve(server.address() as { port: number })),
    );
    const answer = await fetch(`http://127.0.0.1:${port}/add/q`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ data: [{ meta: 1, id: "a" }] }),
    });
    expect(await answer.json()).toMatchObject({ results: ["a"] });
    await listener.close();
    server.close();
    server.closeAllConnections();
    await client.close();
  });

  test("refuse options that cannot be right, in a sentence", async () => {
    const client = await openClient("sqlite");
    const wrong: [options: object, says: string][] = [
      [{ port: 70_000 }, "The port must be a whole number from 0 to 65535"],
      [{ base: "qless" }, 'The base must be a path such as /qless, not "qless"'],
      [{ origins: ["example.com"] }, "An origin must be such as https://example.com"],
      [{ rateLimit: 0 }, "The rate limit must be a number of requests a second"],
      [{ trustProxy: true as never }, "trustProxy must be a number of proxies such as 1"],
      [{ trustProxy: 0 }, "trustProxy must be from 1 to 10 proxies, not 0"],
      [{ trustProxy: "10.0.0.0/33" }, 'not "10.0.0.0/33"'],
      [{ trustProxy: ["10.0.0.1", "proxy"] }, 'not "proxy"'],
      [{ trustProxi: 1 } as object, 'Unknown option "trustProxi" of serve. Did you mean'],
      [{ maxBody: 5 }, "maxBody must be a whole number from 1024 to 67108864"],
      [{ host: "192.0.2.1" }, "Anyone who can reach 192.0.2.1 would have full access"],
      [
        { host: "192.0.2.1", insecure: true },
        "Cannot listen on 192.0.2.1:4774: this machine has no such",
      ],
    ];
    for (const [options, says] of wrong) await expect(serve(client, options)).rejects.toThrow(says);
    await client.close();
  });
});
