import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Client } from "../client/client.ts";
import type { Logger } from "../client/observing.ts";
import type { Registry } from "../client/registry.ts";
import type { Caller } from "./auth.ts";
import { takeJson } from "./body.ts";
import { type Checks, HttpCall } from "./call.ts";
import { answer, refuse } from "./envelope.ts";
import { HttpError } from "./errors.ts";
import { HEADERS } from "./headers.ts";
import { type HttpOptions, settled } from "./options.ts";
import { addressOf } from "./proxies.ts";
import type { Route } from "./route.ts";
import { Site } from "./site.ts";
import { ROUTES } from "./table.ts";
import { validatorOf } from "./validation.ts";

/** What a plugin of fastify is given: the client, and how to serve it. */
export interface QlessHttpOptions<Jobs extends Registry = never> extends HttpOptions {
  client: Client<Jobs>;
}

const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };

declare module "fastify" {
  interface FastifyContextConfig {
    qless?: Route;
  }
}

/**
 * The queue as a plugin of fastify: `app.register(qlessHttp, { client, prefix: "/queue" })`. What it
 * sets up holds for its own routes alone. The client stays open when the app is closed.
 */
export async function qlessHttp<Jobs extends Registry>(
  app: FastifyInstance,
  options: QlessHttpOptions<Jobs>,
): Promise<void> {
  const site = siteFor(options);
  guard(app, site);
  // Without a prefix, the app answers what meets no route.
  if (app.prefix !== "") app.setNotFoundHandler(unknown(app.prefix, site.logger));
  addRoutes(app, site);
}

/** What all requests to these options share. */
export function siteFor<Jobs extends Registry>(options: QlessHttpOptions<Jobs>): Site {
  const { client, ...rest } = options;
  return new Site(client as unknown as Client, settled(rest), ROUTES, version);
}

/** Admits requests, reads their bodies and answers errors, whether or not they meet a route. */
export function guard(app: FastifyInstance, site: Site): void {
  takeJson(app);
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers(HEADERS);
    site.callers.set(request, admitted(site, request));
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    // Otherwise a stop would wait for what else might come over the connection.
    if (site.stopping.aborted) void reply.header("connection", "close");
    done();
  });
  app.addHook("onResponse", async (request, reply) => {
    const qless = request.routeOptions.config?.qless;
    site.metrics.answered(qless, request.method, reply.statusCode, reply.elapsedTime);
  });
  app.setErrorHandler((error, request, reply) => refuse(site.logger, error, request, reply));
  app.addHook("preClose", () => site.stop());
  app.addHook("onClose", () => site.close());
}

export function addRoutes(app: FastifyInstance, site: Site): void {
  for (const route of ROUTES) serve(app, site, route);
}

/** Who calls, if the request comes from where it may and they may make it. */
export function admitted(site: Site, request: FastifyRequest): Caller {
  const qless = request.routeOptions.config?.qless;
  const { headers, raw, socket } = request;
  const { url: target, rawHeaders } = raw;
  const { localAddress } = socket;
  site.borders.check(qless, { host: request.host, headers, target, rawHeaders, localAddress });
  const address = addressOf(request);
  try {
    const caller = site.doorkeeper.admit(qless, headers.authorization, address);
    if (qless?.role !== "open") site.rate?.spend(nameFor(site, caller));
    return caller;
  } catch (error) {
    // Whoever guesses tokens is known by the address alone.
    if (error instanceof HttpError && error.status === 401) site.rate?.spend(`guest ${address}`);
    throw error;
  }
}

/** Whose requests are counted together: those of a token, or of an address. */
const nameFor = ({ options }: Site, { name, address }: Caller) =>
  options.tokens === undefined ? address : name;

function serve(app: FastifyInstance, site: Site, route: Route): void {
  const checks: Checks = {
    params: validatorOf(route.params),
    query: validatorOf(route.query),
    body: route.body === undefined ? undefined : validatorOf(route.body),
  };
  app.route({
    method: route.method,
    url: route.path,
    config: { qless: route },
    bodyLimit: site.options.maxBody,
    // A HEAD of a route that takes work would take it.
    exposeHeadRoute: route.method === "GET" && !route.acts,
    handler: async (request, reply) => {
      const caller = site.callers.get(request)!;
      const call = new HttpCall(site, route, checks, { request, reply, caller });
      return answer(route, await route.run(call), reply);
    },
  });
}

/** Answers what meets no route: there is nothing, or something for another method. */
export function unknown(prefix: string, logger: Logger | undefined) {
  const patterns = ROUTES.map(({ path, method, acts, seed }) => ({
    methods: method === "GET" && !acts ? ["GET", "HEAD"] : [method],
    pattern: patternOf(prefix + path),
    seed,
  }));
  return (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split("?", 1)[0]!;
    const fitting = patterns.filter(({ pattern }) => pattern.test(path));
    const methods = [...new Set(fitting.flatMap((one) => one.methods))];
    void reply.headers(HEADERS);
    if (methods.length === 0) return refuse(logger, NOTHING_HERE, request, reply);
    void reply.header("allow", methods.join(", "));
    const message = `This takes ${methods.join(" or ")}`;
    const error = new HttpError(405, "BAD_METHOD", message);
    return refuse(logger, error, request, reply, fitting[0]!.seed);
  };
}

const NOTHING_HERE = new HttpError(404, "NO_SUCH_ROUTE", "There is nothing here");

/** What a path may look like that is meant for a route. */
function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replace(/\*$/, ".*").replaceAll(/:\w+/g, "[^/]+")}$`);
}
