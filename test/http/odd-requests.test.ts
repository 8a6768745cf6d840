import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { KINDS } from "../../src/http/events.ts";
import { ROUTES } from "../../src/http/table.ts";
import { prepare, SAMPLES } from "./samples.ts";
import { type Bench, everyServer } from "./support.ts";

/** Sends lines as they are, and resolves with the answer once the server has closed the connection. */
async function wire(bench: Bench, lines: readonly string[]): Promise<string> {
  const socket = connect(bench.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`);
  await once(socket, "close");
  return text;
}

const OWN = "Host: 127.0.0.1";

everyServer("requests in odd forms", (open) => {
  test("are refused with two Host headers, whatever the hosts are", async () => {
    const bench = await open();
    for (const other of ["Host: evil.example.com", OWN, "host: 127.0.0.1"]) {
      for (const hosts of [
        [OWN, other],
        [other, OWN],
      ]) {
        const answer = await wire(bench, ["GET /queues HTTP/1.1", ...hosts]);
        expect(answer, hosts.join()).toMatch(/^HTTP\/1\.1 400/);
        expect(answer).toContain("more than one Host header");
      }
    }
  });

  test("are refused with the whole address of another server", async () => {
    const bench = await open();
    for (const address of [
      "http://evil.example.com",
      "HTTP://evil.example.com:80",
      "http://127.0.0.1.evil.example.com",
      "http://127.0.0.1@evil.example.com",
      "https://evil.example.com",
    ]) {
      const answer = await wire(bench, [`GET ${address}/queues HTTP/1.1`, OWN]);
      expect(answer, address).toMatch(/^HTTP\/1\.1 (421|404)/);
      expect(answer).not.toContain('"results":[');
    }
    const own = await wire(bench, [`GET ${bench.url}/queues HTTP/1.1`, OWN]);
    expect(own).toMatch(/^HTTP\/1\.1 200/);
  });

  test("are answered to HEAD as to GET, without a body, unless they take work", async () => {
    const bench = await open();
    const prepared = await prepare(bench.client);
    const before = await bench.client.queues();
    for (const { method, path: route, acts } of ROUTES) {
      if (method !== "GET") continue;
      const { path } = SAMPLES[`GET ${route}`]!(prepared);
      const head = await bench.ask("HEAD", path);
      if (acts) {
        expect([head.status, head.headers.get("allow")], path).toEqual([405, "GET, POST"]);
        continue;
      }
      expect(head.text, path).toBe("");
      if (route === "/api/v1/events") {
        expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
        continue;
      }
      const got = await bench.get(path);
      expect(head.status, path).toBe(got.status);
      expect(head.headers.get("content-type"), path).toBe(got.headers.get("content-type"));
    }
    expect(await bench.client.queues()).toEqual(before);
  });

  test("with a wrong method are told the right ones, HEAD among them", async () => {
    const bench = await open();
    const answer = await bench.ask("DELETE", "/queues");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("get the web interface with any query", async () => {
    const bench = await open();
    expect((await bench.get("/ui/?x=1")).status).toBe(200);
    for (const path of ["/?utm_source=mail", "/ui?x=1&x=2"]) {
      const { status, headers } = await bench.get(path);
      expect([status, headers.get("location")], path).toEqual([302, "ui/"]);
    }
  });

  test("are refused with a body that is packed, or in another charset than UTF-8", async () => {
    const bench = await open();
    const put = '{"klass":"k","data":"é"}';
    const type = "application/json";
    const wrong: [headers: Record<string, string>, body: Buffer, says: string][] = [
      [{ "content-encoding": "gzip" }, gzipSync(put), 'Content-Encoding "gzip" is not supported'],
      [{ "content-encoding": "gzip" }, Buffer.from(put), 'Content-Encoding "gzip" is not'],
      [{ "content-encoding": "br, gzip" }, Buffer.from(put), 'Content-Encoding "br, gzip" is not'],
      [
        { "content-type": `${type}; charset=latin1` },
        Buffer.from(put, "latin1"),
        'The charset "latin1" is not supported; send the body in UTF-8',
      ],
      [{ "content-type": `${type};x=1;CHARSET="utf-16"` }, Buffer.from(put), 'charset "utf-16"'],
    ];
    for (const path of ["/api/v1/jobs", "/api/v1/jobs/get", "/add/q"]) {
      for (const [headers, body, says] of wrong) {
        const sent = { "content-type": type, ...headers };
        const response = await fetch(bench.url + path, { method: "POST", headers: sent, body });
        expect(response.status, path + says).toBe(415);
        expect(await response.text()).toContain(JSON.stringify(says).slice(1, -1));
      }
    }
    expect(await bench.client.queues()).toEqual([]);
    for (const charset of ["utf-8", "UTF8", '"utf-8"']) {
      const headers = {
        "content-type": `${type}; charset=${charset}`,
        "content-encoding": "identity",
      };
      expect((await bench.post("/api/v1/jobs", put, headers)).status, charset).toBe(200);
    }
  });

  test("for events of a kind that does not exist are refused with the list", async () => {
    const bench = await open();
    for (const kind of ["nosuch", "failed,nosuch", "Failed"]) {
      const { status, body } = await bench.get(`/api/v1/events?kind=${kind}`);
      expect(status).toBe(400);
      const at = kind.includes(",") ? 1 : 0;
      expect(body.error.message).toBe(`kind.${at} must be one of ${KINDS.join(", ")}`);
    }
  });
});

test("the web interface follows kinds of events that there are", async () => {
  const { readFile } = await import("node:fs/promises");
  const text = await readFile(new URL("../../src/ui/lib/live.ts", import.meta.url), "utf8");
  const [, kinds = ""] = /const KINDS =\s*"([^"]*)"/.exec(text) ?? [];
  const asked = kinds.split(",");
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.filter((kind) => !(KINDS as readonly string[]).includes(kind))).toEqual([]);
});
