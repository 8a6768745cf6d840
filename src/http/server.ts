import type { RequestListener } from "node:http";
import { isIP } from "node:net";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Client } from "../client/client.ts";
import { checkKnown, type Known } from "../client/known.ts";
import type { Registry } from "../client/registry.ts";
import { type Duration, invalid, milliseconds } from "../client/times.ts";
import { QlessError } from "../engine.ts";
import { startTimer } from "../timers.ts";
import { refuse } from "./envelope.ts";
import { HEADERS } from "./headers.ts";
import { HTTP_OPTIONS, type HttpOptions } from "./options.ts";
import { addRoutes, admitted, guard, siteFor, unknown } from "./plugin.ts";
import { checkedProxies, type TrustedProxies } from "./proxies.ts";
import type { Site } from "./site.ts";

/** How a server is run that listens by itself. */
export interface ServeOptions extends HttpOptions {
  /** Where to listen; default 127.0.0.1. */
  host?: string;
  /** Default 4774; 0 for any that is free. */
  port?: number;
  /** The path that all others are under, such as `/qless`; for reverse proxies. */
  base?: string;
  /** Listen elsewhere than on this machine though there are no tokens. */
  insecure?: boolean;
  /**
   * The proxies whose X-Forwarded-For and X-Forwarded-Host are believed: how many there are, or their
   * addresses; default none.
   */
  trustProxy?: TrustedProxies;
  /** How long a stop waits for requests that run; default 10 s. */
  grace?: Duration;
}

const LISTENER_OPTIONS: Known<Omit<ServeOptions, "host" | "port" | "insecure">> = {
  ...{ base: true, trustProxy: true, grace: true, ...HTTP_OPTIONS },
};
const SERVE_OPTIONS: Known<ServeOptions> = {
  ...{ host: true, port: true, insecure: true, ...LISTENER_OPTIONS },
};

/** A server that listens. */
export interface Served {
  /** Where it listens, such as `http://127.0.0.1:4774/`. */
  url: string;
  port: number;
  /** Takes no more requests, answers those that run, and resolves when all are gone. */
  stop(): Promise<void>;
}

export const DEFAULT_PORT = 4774;
/** How long a caller may take for its headers, for all of a request, and between two, in milliseconds. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const IDLE_MS = 65_000;
/** How often Node looks for requests that are too slow. */
const CHECK_MS = 1000;
const MAX_HEADERS = 16 * 1024;
const MAX_SOCKETS = 5000;
const GRACE_MS = 10_000;
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

/** Serves a queue over HTTP. The client stays open when the server stops. */
export async function serve<Jobs extends Registry>(
  client: Client<Jobs>,
  options: ServeOptions = {},
): Promise<Served> {
  checkKnown("of serve", options, SERVE_OPTIONS);
  const { host = "127.0.0.1", port = DEFAULT_PORT, insecure = false } = options;
  checkPlace(host, port, options.tokens !== undefined || insecure);
  const graceMs = milliseconds(options.grace ?? GRACE_MS, "grace");
  const app = await appFor(client, {
    ...options,
    hosts: [...hostsFor(host), ...(options.hosts ?? [])],
  });
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw unlistenable(error, host, port);
  }
  const address = app.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const name = isIP(host) === 6 ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}${baseOf(options)}/`,
    port: bound,
    stop: () => stopped(app, graceMs),
  };
}

/** The same as a function for a server of Node's own; `close` is to be called when that is. */
export async function requestListener<Jobs extends Registry>(
  client: Client<Jobs>,
  options: Omit<ServeOptions, "host" | "port" | "insecure"> = {},
): Promise<RequestListener & { close(): Promise<void> }> {
  checkKnown("of requestListener", options, LISTENER_OPTIONS);
  const app = await appFor(client, options);
  await app.ready();
  const listener: RequestListener = (request, response) => app.routing(request, response);
  return Object.assign(listener, { close: () => app.close() });
}

async function appFor<Jobs extends Registry>(
  client: Client<Jobs>,
  options: ServeOptions,
): Promise<FastifyInstance> {
  const prefix = baseOf(options);
  const trustProxy = checkedProxies(options.trustProxy);
  const site = siteFor({ ...options, client });
  const app = fastify({
    trustProxy,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 2048 },
    http: {
      headersTimeout: HEADERS_MS,
      connectionsCheckingInterval: CHECK_MS,
      maxHeaderSize: MAX_HEADERS,
    },
    frameworkErrors: (error, request, reply) => misrouted(site, error, request, reply),
    clientErrorHandler: (error, socket) => {
      if (socket.writable && error.code !== "ECONNRESET") socket.write(unreadable(error.code));
      socket.destroy();
    },
  }) as unknown as FastifyInstance;
  app.server.maxConnections = MAX_SOCKETS;
  guard(app, site);
  app.setNotFoundHandler(unknown(prefix, site.logger));
  await app.register(async (inner) => addRoutes(inner, site), { prefix });
  return app;
}

/** Answers a request whose address fastify cannot route, which runs no hooks. */
function misrouted(site: Site, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers(HEADERS);
  let told = error;
  try {
    admitted(site, request);
  } catch (refusal) {
    told = refusal;
  }
  void refuse(site.logger, told, request, reply);
}

const UNREADABLE: Readonly<Record<string, readonly [status: string, code: string, why: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    "408 Request Timeout",
    "TOO_SLOW",
    `The request did not arrive within ${HEADERS_MS / 1000} s (headers) or ${REQUEST_MS / 1000} s (all of it)`,
  ],
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    "TOO_LARGE",
    `The headers are longer than ${MAX_HEADERS} bytes`,
  ],
};

/** The answer to bytes that never became a request, as it goes over the wire. */
function unreadable(code: string | undefined): string {
  const [status, name, message] = UNREADABLE[code ?? ""] ?? [
    "400 Bad Request",
    "BAD_REQUEST",
    "This is not an HTTP request",
  ];
  const body = JSON.stringify({ error: { code: name, message } });
  const headers = {
    ...HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`;
}

/** The path that all others are under, without a slash at its end. */
function baseOf({ base = "" }: { base?: string | undefined }): string {
  const trimmed = base.replace(/\/+$/, "");
  if (trimmed === "" || /^(\/[\w.~-]+)+$/.test(trimmed)) return trimmed;
  throw invalid(`The base must be a path such as /qless, not ${JSON.stringify(base)}`);
}

/** Refuses what is no port, before anything is done to listen there. */
export function checkPort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return;
  throw invalid("The port must be a whole number from 0 to 65535");
}

function checkPlace(host: string, port: number, isGuarded: boolean): void {
  checkPort(port);
  if (isGuarded || LOOPBACK.has(host)) return;
  throw invalid(
    `Anyone who can reach ${host} would have full access. Pass --tokens, or --insecure to allow this`,
  );
}

/** The name that it listens by is one that it goes by, unless it stands for all there are. */
const hostsFor = (host: string) =>
  host === "0.0.0.0" || host === "::" ? [] : [isIP(host) === 6 ? `[${host}]` : host];

function unlistenable(error: unknown, host: string, port: number): unknown {
  const { code } = error as { code?: string };
  const why: Record<string, string> = {
    EADDRINUSE: "somebody listens there already: choose another port",
    EACCES: "this user may not: choose a port from 1024 on",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "there is no such host",
  };
  const known = code === undefined ? undefined : why[code];
  if (known === undefined) return error;
  return new QlessError("CANNOT_LISTEN", `Cannot listen on ${host}:${port}: ${known}`, {
    cause: error,
  });
}

async function stopped(app: FastifyInstance, graceMs: number): Promise<void> {
  const hurry = startTimer(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(hurry);
  }
}
