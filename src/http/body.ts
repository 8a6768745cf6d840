import type { FastifyInstance, FastifyRequest } from "fastify";
import { readKeeping } from "../json/read-keeping.ts";
import { depthOf } from "../json/scan.ts";
import { HttpError } from "./errors.ts";
import { keepOf } from "./keeping.ts";

/** How deep lists and objects may be nested: reading deeper ones costs the stack. */
const MAX_DEPTH = 64;

const bodies = new WeakMap<FastifyRequest, Buffer>();

/** The bytes of a body as they came, of requests with an `Idempotency-Key`. */
export const bytesOf = (request: FastifyRequest) => bodies.get(request);

/**
 * Reads bodies as JSON and as nothing else. An empty body counts as `{}`. Members that a route
 * declares as `Data` stay text, byte for byte.
 */
export function takeJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const safely = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, bytes, done) => {
    if (bytes.length === 0) {
      done(null, undefined);
      return;
    }
    if (request.headers["idempotency-key"] !== undefined) bodies.set(request, bytes as Buffer);
    try {
      const text = decoder.decode(bytes as Buffer);
      checkDepth(text);
      const keep = keepOf(request.routeOptions.config?.qless?.body);
      const value = readKeeping(text, keep, (rest) => parsed(safely, request, rest));
      done(null, value);
    } catch (error) {
      done(error instanceof HttpError ? error : unreadable());
    }
  });
}

function unreadable(): HttpError {
  return new HttpError(
    400,
    "BAD_JSON",
    "The body is not JSON in UTF-8, or has a member __proto__ outside of data",
  );
}

type Parser = ReturnType<FastifyInstance["getDefaultJsonParser"]>;

/** What fastify's parser makes of a text; it answers before it returns. */
function parsed(parse: Parser, request: FastifyRequest, text: string): unknown {
  let outcome: { value: unknown } | undefined;
  void parse(request, text, (error, value) => {
    if (error === null) outcome = { value };
  });
  if (outcome === undefined) throw unreadable();
  return outcome.value;
}

function checkDepth(text: string): void {
  if (depthOf(text, MAX_DEPTH) <= MAX_DEPTH) return;
  const message = `The body nests lists and objects more than ${MAX_DEPTH} levels deep`;
  throw new HttpError(422, "TOO_DEEP", message);
}
