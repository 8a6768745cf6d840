import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "../client/observing.ts";
import { writeJson } from "../json/raw-json.ts";
import { HttpError, type Told, toldOf } from "./errors.ts";
import type { Route } from "./route.ts";

/** Sends what a route gives; in the envelope of the seeds where the route is theirs. */
export function answer(route: Route, given: unknown, reply: FastifyReply): FastifyReply {
  if (reply.sent) return reply;
  if (route.status !== 200) void reply.code(route.status);
  if (!reply.hasHeader("content-type")) {
    void reply.header("content-type", typeOf(route.media));
  }
  if (!route.seed) return reply.send(isJson(route) ? textOf(given) : given);
  return reply.send(textOf({ ...(given as object), time: timeOf(reply) }));
}

/** A text has a longest length, and jobs may be large. */
function textOf(given: unknown): string {
  try {
    return writeJson(given) ?? "null";
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new HttpError(422, "TOO_LONG", "The answer would be too long: ask for fewer at a time");
  }
}

const isJson = ({ media }: Route) => media === "application/json";
const typeOf = (media: string) =>
  media === "application/json" ? "application/json; charset=utf-8" : media;

/** Milliseconds, to the thousandth. */
const timeOf = (reply: FastifyReply) => ({ total: Math.round(reply.elapsedTime * 1000) / 1000 });

/** Says no, in one sentence and with the status that fits. */
export function refuse(
  logger: Logger | undefined,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  seed = request.routeOptions.config?.qless?.seed === true,
): FastifyReply {
  const told = toldOf(error);
  const qless = request.routeOptions.config?.qless;
  noteFault(logger, error, told, { method: request.method, route: qless?.path });
  if (told.retryAfter !== undefined) void reply.header("retry-after", String(told.retryAfter));
  if (told.status === 401) void reply.header("www-authenticate", schemesFor(qless));
  const body = seed ? seedError(told, reply) : { error: shown(told) };
  void reply.code(told.status).header("content-type", "application/json; charset=utf-8");
  return reply.send(JSON.stringify(body));
}

/** An outage is the same for all requests: one of a second is enough to know. */
const OUTAGE_MS = 1000;
let outageNotedAt = Number.NEGATIVE_INFINITY;

function noteFault(logger: Logger | undefined, err: unknown, told: Told, where: object): void {
  if (told.isOurs) logger?.error({ err, ...where }, "A request broke down");
  if (!told.isOutage || performance.now() - outageNotedAt < OUTAGE_MS) return;
  outageNotedAt = performance.now();
  logger?.warn({ err, ...where }, "The store does not answer");
}

function shown({ code, message, uncertain }: Told): object {
  return uncertain ? { code, message, uncertain } : { code, message };
}

const seedError = (told: Told, reply: FastifyReply) => {
  const { message, ...rest } = shown(told) as { message: string };
  return { results: null, error: message, ...rest, time: timeOf(reply) };
};

/** Browsers ask for a password where they are offered `Basic`. */
const schemesFor = (route: Route | undefined) =>
  route?.path.startsWith("/api/") === true ? 'Bearer realm="qless"' : 'Basic realm="qless"';
