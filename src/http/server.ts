import type { RequestListener } from "node:http";
import { isIP } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import type { Client } from "../client/client.ts";
import type { Registry } from "../client/registry.ts";
import { type Duration, invalid, milliseconds } from "../client/times.ts";
import { QlessError } from "../engine.ts";
import { startTimer } from "../timers.ts";
import { refuse } from "./envelope.ts";
import { HEADERS } from "./headers.ts";
import type { HttpOptions } from "./options.ts";
import { qlessHttp, unknown } from "./plugin.ts";

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
  /** Believe what proxies say of the caller's address and of the host that was asked. */
  trustProxy?: boolean;
  /** How long a stop waits for requests that run; default 10 s. */
  grace?: Duration;
}

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
const MAX_SOCKETS = 5000;
const GRACE_MS = 10_000;
const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

/** Serves a queue over HTTP. The client stays open when the server stops. */
export async function serve<Jobs extends Registry>(
  client: Client<Jobs>,
  options: ServeOptions = {},
): Promise<Served> {
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
  const app = await appFor(client, options);
  await app.ready();
  const listener: RequestListener = (request, response) => app.routing(request, response);
  return Object.assign(listener, { close: () => app.close() });
}

async function appFor<Jobs extends Registry>(
  client: Client<Jobs>,
  options: ServeOptions,
): Promise<FastifyInstance> {
  const { base, trustProxy = false, logger } = options;
  const app = fastify({
    trustProxy,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 2048 },
    http: { headersTimeout: HEADERS_MS, maxHeaderSize: 16 * 1024 },
    frameworkErrors: (error, request, reply) => {
      void reply.headers(HEADERS);
      void refuse(logger, error, request as never, reply as never);
    },
    clientErrorHandler: (error, socket) => {
      if (socket.writable && error.code !== "ECONNRESET") socket.write(UNREADABLE);
      socket.destroy();
    },
  });
  app.server.maxConnections = MAX_SOCKETS;
  app.setNotFoundHandler(unknown(baseOf({ base }), logger) as never);
  await app.register(qlessHttp<Jobs>, { ...options, client, prefix: baseOf({ base }) });
  return app as unknown as FastifyInstance;
}

const UNREADABLE_BODY = '{"error":{"code":"BAD_REQUEST","message":"This is not a request"}}';
const UNREADABLE = `HTTP/1.1 400 Bad Request\r
Content-Type: application/json\r
X-Content-Type-Options: nosniff\r
Content-Length: ${UNREADABLE_BODY.length}\r
Connection: close\r
\r
${UNREADABLE_BODY}`;

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
    `Whoever reaches ${host} could do everything: give tokens, or say --insecure if that is meant`,
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
