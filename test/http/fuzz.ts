import { type Agent, request } from "node:http";
import { connect } from "node:net";
import type { TObject, TSchema } from "@sinclair/typebox";
import type { Route } from "../../src/http/route.ts";
import { Wait } from "../../src/http/schemas.ts";
import { ROUTES } from "../../src/http/table.ts";
import { type Prepared, SAMPLES } from "./samples.ts";
import type { Bench } from "./support.ts";

/** Random numbers that a seed repeats. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** From 0 up to, and without, the limit. */
  below(limit: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % limit;
  }

  of<One>(all: readonly One[]): One {
    return all[this.below(all.length)]!;
  }
}

const NAMES = [
  "q",
  "waiting",
  "another",
  "later",
  "running",
  "k",
  "group",
  "rec",
  "sch",
  "key",
  "w",
];
const TEXTS = [
  "",
  "\u0000",
  "\r\nX: y",
  "é𝒜",
  "\ud800",
  "../..",
  "%2f",
  "__proto__",
  "constructor",
  "*",
  "{x}",
  "<script>",
  "x".repeat(300),
  "é".repeat(200),
  "1e309",
  " 5",
  "-0",
  "0x10",
  "NaN",
  "null",
  "[]",
  "{}",
  "30s",
  "1h 30m",
  "2031-01-01T00:00:00Z",
  "2031-99-99",
  "* * * * *",
  "exponential 5 cap 60",
];
const NUMBERS = [
  0,
  1,
  -1,
  0.5,
  Number.POSITIVE_INFINITY,
  -1e12,
  2 ** 53,
  2 ** 53 + 2,
  1e-7,
  4e9,
  500,
  501,
  60.1,
  Number.NaN,
];
const OTHERS: unknown[] = [null, true, false, [], {}, [[]], [null], { a: { b: [] } }, [1, "a", {}]];

/** Anything at all. */
const anything = (chance: Chance): unknown =>
  chance.of([
    () => chance.of(TEXTS),
    () => chance.of(NUMBERS),
    () => chance.of(OTHERS),
    () => chance.of(NAMES),
  ])();

const isWait = ({ description }: TSchema) => description === Wait.description;

/** Something that the schema may be meant for; sometimes not. */
export function made(chance: Chance, schema: TSchema): unknown {
  // Not longer than a test has patience.
  if (isWait(schema)) return chance.of([0, 0.01, 61, -1, "x", null]);
  if (chance.below(12) === 0) return anything(chance);
  const { type, anyOf, properties, items } = schema as TSchema & {
    anyOf?: TSchema[];
    properties?: Record<string, TSchema>;
    items?: TSchema;
    const?: unknown;
  };
  if ("const" in schema) return schema.const;
  if (anyOf !== undefined) return made(chance, chance.of(anyOf));
  if (type === "object" && properties !== undefined) return madeObject(chance, schema as TObject);
  if (type === "array") {
    return Array.from({ length: chance.below(4) }, () => made(chance, items!));
  }
  if (type === "boolean") return chance.below(2) === 0;
  if (type === "integer") return chance.of([0, 1, 2, 5, 25, 500, ...NUMBERS]);
  if (type === "number") return chance.of([0, 1, 2.5, ...NUMBERS]);
  if (type === "string") return chance.below(3) === 0 ? chance.of(TEXTS) : chance.of(NAMES);
  return anything(chance);
}

function madeObject(chance: Chance, { properties, required = [] }: TObject): unknown {
  const entries = Object.entries(properties).filter(
    ([name]) => chance.below(required.includes(name) ? 20 : 3) !== 0 || required.includes(name),
  );
  const object = Object.fromEntries(entries.map(([name, schema]) => [name, made(chance, schema)]));
  if (chance.below(15) === 0) object[chance.of(TEXTS)] = anything(chance);
  return object;
}

export interface Shot {
  route: Route;
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
}

/** A request for a route, more or less right. */
export function shotAt(chance: Chance, route: Route, prepared: Prepared): Shot {
  const { method } = route;
  const sample = SAMPLES[`${method} ${route.path}`]!(prepared);
  const isSample = chance.below(4) === 0;
  const path = isSample ? sample.path : pathFor(chance, route);
  const value = isSample || route.body === undefined ? sample.body : made(chance, route.body);
  let body = method === "GET" || method === "DELETE" ? undefined : (JSON.stringify(value) ?? "");
  if (body !== undefined && chance.below(15) === 0) body = torn(chance, body);
  const headers: Record<string, string> =
    body === undefined ? {} : { "content-type": "application/json" };
  if (chance.below(20) === 0)
    headers["content-type"] = chance.of(["text/plain", "application/xml", ""]);
  if (chance.below(10) === 0)
    headers["idempotency-key"] = chance.of(["a", "b", "c", "x".repeat(300)]);
  if (chance.below(30) === 0) headers["last-event-id"] = chance.of(["x", "0-1", "9".repeat(50)]);
  return { route, path, body, headers };
}

function pathFor(chance: Chance, { path, params, query }: Route): string {
  const word = (value: unknown) => encodeURIComponent(String(value).toWellFormed());
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) =>
    chance.below(40) === 0
      ? chance.of(["%00", "%zz", "%2e%2e", ""])
      : word(made(chance, params.properties[name]!)),
  );
  const asked = Object.entries(query.properties).filter(
    ([, schema]) => isWait(schema) || chance.below(3) === 0,
  );
  const pairs = asked.map(([name, schema]) => `${name}=${word(made(chance, schema))}`);
  if (chance.below(15) === 0)
    pairs.push(chance.of(["x=1", "&&&", "count=1&count=2", "%zz=%zz", "a[]=1"]));
  return pairs.length === 0 ? filled : `${filled}?${pairs.join("&")}`;
}

function torn(chance: Chance, text: string): string {
  const at = chance.below(text.length + 1);
  return chance.of([
    text.slice(0, at),
    text.slice(0, at) + chance.of(TEXTS) + text.slice(at),
    "[".repeat(500),
    "\ufeff" + text,
    `{"__proto__":${text}}`,
  ]);
}

export interface Hit {
  status: number;
  type: string;
  text: string;
  sniff: string;
}

/** Sends it, and gives what came back; streams are left when they have begun. */
export function fire(
  bench: Bench,
  agent: Agent,
  { route, path, body, headers }: Shot,
): Promise<Hit> {
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: "127.0.0.1",
      port: bench.port,
      method: route.method,
      path,
      headers,
    };
    const outgoing = request(options, (response) => {
      const type = response.headers["content-type"] ?? "";
      const sniff = String(response.headers["x-content-type-options"]);
      const status = response.statusCode!;
      let text = "";
      const done = () => resolve({ status, type, text, sniff });
      if (type.startsWith("text/event-stream")) {
        response.destroy();
        done();
        return;
      }
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", done).on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

const RAW = [
  "GET / HTTP/1.1\r\n\r\n",
  "GET /queues HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
  "POST /add/q HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
  "POST /add/q HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
  "POST /add/q HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  "POST /add/q HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999999999999\r\n\r\n{",
  `GET /queues HTTP/1.1\r\nHost: localhost\r\n${"X-A: b\r\n".repeat(3000)}\r\n`,
  `GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  "GET /job/\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "GET http://evil.example.com/get/q HTTP/1.1\r\nHost: evil.example.com\r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "TRACE / HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "GET /queues HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000",
];

/** Writes bytes that are hardly a request, and gives what came back before either side hung up. */
export function fireRaw(bench: Bench, chance: Chance): Promise<string> {
  const bytes = Buffer.from(chance.of(RAW), "latin1");
  const cut = chance.below(3) === 0 ? bytes.subarray(0, chance.below(bytes.length)) : bytes;
  if (chance.below(3) === 0 && cut.length > 0) cut[chance.below(cut.length)] = chance.below(256);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(bench.port, "127.0.0.1", () => socket.end(cut));
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
    });
    socket.setTimeout(300, () => socket.destroy());
    socket.on("error", () => {}).on("close", () => resolve(text));
  });
}

/** Routes that can be shot at; those that end operations would wait for each other. */
export const TARGETS = ROUTES;
