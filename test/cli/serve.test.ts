import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { everySite, folderOf, type Started, start } from "./support.ts";

const at = async (server: Started) =>
  String((await server.until("Serving")).url).replace(/\/$/, "");

everySite("qless serve", (open) => {
  test("serves the queues of a URL until it is told to stop", async () => {
    const { flags, client } = await open({});
    await client.put("q", 1, { jid: "a" });
    const server = start(["serve", ...flags, "--port", "0"]);
    const url = await at(server);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const taken = await fetch(`${url}/get/q?host=w`);
    expect(await taken.json()).toMatchObject({ results: { id: "a" } });
    const waiting = fetch(`${url}/get/q?host=w&wait=30`);
    await expect
      .poll(async () => (await fetch(`${url}/metrics`)).text(), { timeout: 10_000 })
      .toContain("qless_http_polls 1\n");
    server.signal("SIGTERM");
    expect(await (await waiting).json()).toMatchObject({ results: null });
    expect(await server.code()).toBe(0);
    expect(server.lines.map(({ msg }) => msg).slice(-3)).toEqual([
      "Serving",
      "Stopping; requests have their grace to end",
      "Stopped",
    ]);
    expect(server.stderr).toBe("");
  });

  test("lets in those who have a token of the file, and tells what they do", async () => {
    const { folder, flags } = await open({ tokens: "boss admin boss-0123456789abcdef\n" });
    const server = start(["serve", ...flags, "--port", "0", "--tokens", join(folder, "tokens")]);
    const url = await at(server);
    expect(server.said(`${join(folder, "tokens")} can be read by others`)).toMatchObject({
      level: "warn",
    });
    expect((await fetch(`${url}/queues`)).status).toBe(401);
    const headers = {
      authorization: "Bearer boss-0123456789abcdef",
      "content-type": "application/json",
    };
    const pause = `${url}/api/v1/queues/q/pause`;
    expect((await fetch(pause, { method: "POST", headers, body: "{}" })).status).toBe(200);
    expect(await server.until("Operator: pause")).toMatchObject({
      by: "boss",
      to: "q",
      audit: true,
    });
    expect(server.stdout).not.toContain("boss-0123456789abcdef");
    server.signal("SIGINT");
    expect(await server.code()).toBe(0);
  });
});

describe("qless serve", () => {
  const WRONG: [words: string[], says: string][] = [
    [
      ["--host", "0.0.0.0"],
      "Anyone who can reach 0.0.0.0 would have full access. Pass --tokens, or --insecure to allow",
    ],
    [["--port", "http"], '--port must be a whole number, not "http"'],
    [["--port", "99999"], "The port must be a whole number from 0 to 65535"],
    [["--tokens", "./missing"], "The tokens in ./missing cannot be read (ENOENT)"],
    [["--base", "x"], "The base must be a path such as /qless"],
    [["--grace", "5"], "--grace needs a unit: 5s or 5ms"],
    [["--rate-limit", "0"], "The rate limit must be a number of requests a second"],
    [["--allow-origin", "example.com"], "An origin must be such as https://example.com"],
    [
      ["--trust-proxy", "yes"],
      "trustProxy must be a number of proxies such as 1, or their addresses",
    ],
    [["--stranger"], "unknown option '--stranger'"],
  ];

  test.each(WRONG)(
    "refuses %j in a sentence, with the code of a wrong use",
    async (words, says) => {
      const server = start(["serve", "--url", "sqlite::memory:", ...words]);
      expect(await server.code()).toBe(2);
      expect(server.stderr).toContain(`qless: ${says}`);
      expect(server.stderr.trim().split("\n")).toHaveLength(1);
    },
  );

  test.each(["", "  "])("does not start with an empty QLESS_TOKENS: %j", async (text) => {
    const env = { QLESS_TOKENS: text };
    const server = start(["serve", "--url", "sqlite::memory:", "--port", "0"], { env });
    expect(await server.code()).toBe(2);
    expect(server.stderr).toBe("qless: QLESS_TOKENS is empty. Set it to tokens, or unset it\n");
  });

  test("says who listens there already", async () => {
    const first = start(["serve", "--url", "sqlite::memory:", "--port", "0"]);
    const port = new URL(await at(first)).port;
    const second = start(["serve", "--url", "sqlite::memory:", "--port", port]);
    expect(await second.code()).toBe(1);
    expect(second.stderr).toContain(
      `Cannot listen on 127.0.0.1:${port}: somebody listens there already`,
    );
  });

  test("takes tokens and the URL from the environment, and stops at once when told twice", async () => {
    const env = { QLESS_URL: "sqlite::memory:", QLESS_TOKENS: "ci read ci-0123456789abcdef" };
    const server = start(["serve", "--port", "0", "--grace", "20s"], { env });
    const url = await at(server);
    expect((await fetch(`${url}/queues`)).status).toBe(401);
    const both = start(["serve", "--tokens", "x"], { env, cwd: folderOf({ x: "" }) });
    expect(await both.code()).toBe(2);
    // A request that does not end keeps it from stopping.
    const headers = {
      authorization: "Bearer ci-0123456789abcdef",
      "content-type": "application/json",
      expect: "100-continue",
    };
    const stuck = request(`${url}/api/v1/jobs/get`, { method: "POST", headers });
    stuck.on("error", () => {}).flushHeaders();
    await once(stuck, "continue");
    server.signal("SIGTERM");
    await server.until("Stopping; requests");
    expect(await server.insist("SIGTERM")).toBe(143);
  });

  test("keeps its memory though two hundred at once send more than it takes", async () => {
    const server = start([
      "serve",
      "--url",
      "sqlite::memory:",
      "--port",
      "0",
      "--max-body",
      "100000",
    ]);
    const url = await at(server);
    const memory = async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)![1]);
    };
    const before = await memory();
    const bytes = Buffer.alloc(2_000_000, "x");
    const port = Number(new URL(url).port);
    const head =
      "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const sent = Array.from({ length: 200 }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(`${head}Content-Length: ${bytes.length}\r\n\r\n`);
      socket.end(bytes);
      socket.resume();
      return new Promise((resolve) => socket.on("close", resolve));
    });
    await Promise.all(sent);
    expect((await memory()) - before).toBeLessThan(64e6);
  });

  test("tells in its help what there is", async () => {
    const help = start(["serve", "--help"]);
    expect(await help.code()).toBe(0);
    expect(help.stdout).toContain("--allow-host");
  });
});
