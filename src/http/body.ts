import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpError } from "./errors.ts";

/** How deep arrays and objects may lie in each other: reading deeper ones costs the stack. */
const MAX_DEPTH = 64;

const bodies = new WeakMap<FastifyRequest, Buffer>();

/** The bytes of a body as they came, of requests with an `Idempotency-Key`. */
export const bytesOf = (request: FastifyRequest) => bodies.get(request);

/** Has bodies read as JSON and as nothing else; an empty one is as good as `{}`. */
export function takeJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const read = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, bytes, done) => {
    if (bytes.length === 0) {
      done(null, undefined);
      return;
    }
    if (request.headers["idempotency-key"] !== undefined) bodies.set(request, bytes as Buffer);
    try {
      const text = decoder.decode(bytes as Buffer);
      checkDepth(text);
      read(request, text, (error, value) => done(error === null ? null : unreadable(), value));
    } catch (error) {
      done(error instanceof HttpError ? error : unreadable());
    }
  });
}

function unreadable(): HttpError {
  return new HttpError(400, "BAD_JSON", "The body is not JSON in UTF-8, or has a member __proto__");
}

function checkDepth(text: string): void {
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isQuoted) {
      if (code === BACKSLASH) i += 1;
      else if (code === QUOTE) isQuoted = false;
    } else if (code === QUOTE) isQuoted = true;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > MAX_DEPTH) {
      const message = `The body has more than ${MAX_DEPTH} lists and objects in each other`;
      throw new HttpError(422, "TOO_DEEP", message);
    }
  }
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
