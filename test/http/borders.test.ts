import { request } from "node:http";
import { describe, expect, test } from "vitest";
import type { HttpError } from "../../src/http/errors.ts";
import { Borders } from "../../src/http/origin.ts";
import type { Route } from "../../src/http/route.ts";
import { ROUTES } from "../../src/http/table.ts";
import { prepare, SAMPLES } from "./samples.ts";
import { type Bench, everyServer } from "./support.ts";

const OWN = "127.0.0.1:4774";
const HOSTS = [
  OWN,
  "localhost:4774",
  "[::1]:4774",
  "evil.example.com",
  "127.0.0.1.evil.example.com",
  "",
];
const ORIGINS = [
  "absent",
  "own",
  "https://evil.example.com",
  "null",
  "http://127.0.0.1:1",
] as const;
const SITES = ["absent", "same-origin", "none", "same-site", "cross-site"] as const;
const MEDIA = [
  "application/json",
  "application/json; charset=utf-8",
  "text/plain",
  "application/x-www-form-urlencoded",
  "absent",
] as const;

interface Case {
  host: string;
  origin: (typeof ORIGINS)[number];
  site: (typeof SITES)[number];
  media: (typeof MEDIA)[number];
}

const CASES: Case[] = HOSTS.flatMap((host) =>
  ORIGINS.flatMap((origin) =>
    SITES.flatMap((site) => MEDIA.map((media) => ({ host, origin, site, media }))),
  ),
);

const headersOf = ({ host, origin, site, media }: Case) => ({
  ...(origin !== "absent" && { origin: origin === "own" ? `http://${host}` : origin }),
  ...(site !== "absent" && { "sec-fetch-site": site }),
  ...(media !== "absent" && { "content-type": media }),
});

/** The whole rule: a host that is ours, a page that is ours, and JSON where a body may come. */
function expected({ host, origin, site, media }: Case, { acts, method, hosts }: Route) {
  if (hosts !== "any" && !HOSTS.slice(0, 3).includes(host)) return 421;
  if (!acts) return undefined;
  if (origin !== "absent" && origin !== "own") return 403;
  if (site === "same-site" || site === "cross-site") return 403;
  const hasBody = method === "POST" || method === "PUT";
  return hasBody && !media.startsWith("application/json") ? 415 : undefined;
}

describe("the borders", () => {
  const borders = new Borders([], []);

  test.each(ROUTES)("of $method $path hold in every case", (route) => {
    const wrong = CASES.filter((one) => {
      try {
        borders.check(route, { host: one.host, headers: headersOf(one) });
        return expected(one, route) !== undefined;
      } catch (error) {
        return (error as HttpError).status !== expected(one, route);
      }
    });
    expect(wrong).toEqual([]);
  });

  test("let through whoever was named", () => {
    const open = new Borders(["queue.example.com"], ["https://admin.example.com"]);
    const acting = ROUTES.find(({ acts, method }) => acts && method === "GET")!;
    const from = (headers: Record<string, string>, host = "queue.example.com") =>
      open.check(acting, { host, headers });
    expect(() =>
      from({ origin: "https://admin.example.com", "sec-fetch-site": "same-site" }),
    ).not.toThrow();
    expect(() => from({ origin: "https://queue.example.com" })).not.toThrow();
    expect(() => from({ origin: "https://other.example.com" })).toThrow("another origin");
    expect(() => from({ referer: "https://evil.example.com/page" })).toThrow("another origin");
    expect(() => from({ referer: "https://queue.example.com/ui/" })).not.toThrow();
    expect(() => from({ referer: "https://admin.example.com/x" })).not.toThrow();
    expect(() => from({ referer: "nonsense" })).toThrow("another origin");
    expect(() => new Borders(["any"], []).check(acting, { host: "x", headers: {} })).not.toThrow();
  });

  test("are there for every route that changes something", () => {
    const changing = ROUTES.filter(({ method }) => method !== "GET");
    const silent = changing.filter(({ acts }) => !acts).map(({ method, path }) => method + path);
    expect(silent).toEqual(["POST/api/v1/jobs/get"]);
    const taking = ROUTES.filter(({ method, acts }) => method === "GET" && acts);
    expect(taking.map(({ path }) => path)).toEqual(["/get/:queue", "/get/:queue/:count"]);
  });
});

/** A request as only a page of another site could send it: `fetch` sets these headers itself. */
function sent(
  bench: Bench,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: bench.port, method, path, headers };
    const outgoing = request(options, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode!));
    });
    outgoing.on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

everyServer("a foreign page", (open) => {
  test("changes nothing by any route", async () => {
    const bench = await open();
    const prepared = await prepare(bench.client);
    const before = JSON.stringify(await bench.client.queues());
    const json = { "content-type": "application/json" };
    const attacks: Record<string, string>[] = [
      { ...json, origin: "https://evil.example.com", "sec-fetch-site": "cross-site" },
      { ...json, "sec-fetch-site": "cross-site" },
      { ...json, origin: "null" },
      { ...json, host: "evil.example.com", origin: "http://evil.example.com" },
      { "content-type": "text/plain", origin: "https://evil.example.com" },
    ];
    for (const { method, path: route, acts } of ROUTES) {
      if (!acts) continue;
      const { path, body } = SAMPLES[`${method} ${route}`]!(prepared);
      for (const headers of attacks) {
        const status = await sent(bench, method, path, headers, body);
        expect([403, 415, 421], `${method} ${path}`).toContain(status);
      }
    }
    expect(JSON.stringify(await bench.client.queues())).toBe(before);
  });

  test("takes no work with a picture", async () => {
    const bench = await open();
    await bench.client.put("q", 1, { jid: "a" });
    const asked = { referer: "https://evil.example.com/", accept: "image/*" };
    expect(await sent(bench, "GET", "/get/q", asked)).toBe(403);
    expect((await bench.client.get("a"))!.state).toBe("waiting");
  });

  test("is not told apart by HEAD or OPTIONS, which nothing answers", async () => {
    const bench = await open();
    await bench.client.put("q", 1, { jid: "a" });
    expect(await sent(bench, "HEAD", "/get/q", {})).toBe(405);
    expect(await sent(bench, "OPTIONS", "/get/q", {})).toBe(405);
    expect((await bench.client.get("a"))!.state).toBe("waiting");
  });
});

everyServer("every answer", (open) => {
  test("has the headers that browsers go by", async () => {
    const bench = await open();
    for (const path of ["/queues", "/nothing", "/ui/", "/healthz", "/api/v1/jobs/nobody", "/%zz"]) {
      const { headers } = await bench.get(path);
      expect(headers.get("content-security-policy"), path).toContain("default-src 'none'");
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
      expect(headers.get("x-frame-options"), path).toBe("DENY");
      expect(headers.get("access-control-allow-origin"), path).toBeNull();
    }
  });
});
