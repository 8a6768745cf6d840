import { readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Client } from "../client/client.ts";
import type { Registry } from "../client/registry.ts";
import { type Caller, mayAct } from "./auth.ts";
import { takeJson } from "./body.ts";
import { type Checks, HttpCall } from "./call.ts";
import { answer, refuse } from "./envelope.ts";
import { HttpError } from "./errors.ts";
import { HEADERS } from "./headers.ts";
import { type HttpOptions, settled } from "./options.ts";
import type { Route } from "./route.ts";
import { Site } from "./site.ts";
import { ROUTES } from "./table.ts";
import { Validator } from "./validation.ts";

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
  const { client, ...rest } = options;
  const site = new Site(client as unknown as Client, settled(rest), ROUTES, version);
  const callers = new WeakMap<FastifyRequest, Caller>();
  takeJson(app);
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers(HEADERS);
    callers.set(request, admitted(site, request));
  });
  app.addHook("onResponse", async (request, reply) => {
    const { qless } = request.routeOptions.config;
    site.metrics.answered(qless, request.method, reply.statusCode, reply.elapsedTime);
  });
  app.setErrorHandler((error, request, reply) => refuse(site.logger, error, request, reply));
  app.setNotFoundHandler(notFound(app.prefix));
  for (const route of ROUTES) serve(app, site, route, callers);
  app.addHook("preClose", () => site.stop());
  app.addHook("onClose", () => site.close());
}

/** Who calls, if the request comes from where it may and they may make it. */
function admitted(site: Site, request: FastifyRequest): Caller {
  const { qless } = request.routeOptions.config;
  const { headers, ip } = request;
  site.borders.check(qless, { host: request.host, headers });
  const caller = site.doorkeeper.admit(qless, headers.authorization, ip);
  if (qless?.role !== "open") site.rate?.spend(nameFor(site, caller));
  return caller;
}

/** Whose requests are counted together: those of a token, or of an address. */
const nameFor = ({ options }: Site, { name, address }: Caller) =>
  options.tokens === undefined ? address : name;

function serve(
  app: FastifyInstance,
  site: Site,
  route: Route,
  callers: WeakMap<FastifyRequest, Caller>,
): void {
  const checks: Checks = {
    params: new Validator(route.params),
    query: new Validator(route.query),
    body: route.body === undefined ? undefined : new Validator(route.body),
  };
  app.route({
    method: route.method,
    url: route.path,
    config: { qless: route },
    bodyLimit: site.options.maxBody,
    // A HEAD of a route that takes work would take it.
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const caller = callers.get(request)!;
      const call = new HttpCall(site, route, checks, { request, reply, caller });
      return answer(route, await route.run(call), reply);
    },
  });
}

/** Whether a caller with these roles may use the route; for those who show what there is to do. */
export const isPermitted = (route: Route, roles: Caller["roles"]) =>
  route.role === "open" || mayAct(roles, route.role);

/** Tells apart what is not there and what is there for another method. */
function notFound(prefix: string) {
  const patterns = ROUTES.map(({ path, method }) => ({
    method,
    pattern: patternOf(prefix + path),
  }));
  return (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split("?", 1)[0]!;
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).map((one) => one.method);
    if (methods.length === 0) throw new HttpError(404, "NO_SUCH_ROUTE", "There is nothing here");
    void reply.header("allow", [...new Set(methods)].join(", "));
    throw new HttpError(405, "BAD_METHOD", `This takes ${[...new Set(methods)].join(" or ")}`);
  };
}

const patternOf = (path: string) =>
  new RegExp(
    `^${path
      .replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/\\\*$/, ".*")
      .replaceAll(/:\w+/g, "[^/]+")}$`,
  );
