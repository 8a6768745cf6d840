import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { Client } from "../client/client.ts";
import type { AnyJobs } from "../client/registry.ts";
import { bytesOf } from "./body.ts";
import { HttpError } from "./errors.ts";

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * A digest of the request's `Idempotency-Key` and of all that makes it the same request: who sends
 * it, where to, and with what. Undefined without a key.
 */
export function keyOf(request: FastifyRequest, caller: string): string | undefined {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !KEY.test(key)) {
    const message = "Idempotency-Key must be 1 to 255 visible characters of ASCII";
    throw new HttpError(400, "BAD_REQUEST", message);
  }
  const hash = createHash("sha256");
  hash.update(JSON.stringify([caller, request.method, request.url, key]));
  return hash.update(bytesOf(request) ?? "").digest("base64url");
}

/**
 * A client whose calls go under request ids made of the key: the engine remembers what it answered,
 * so that the same request, sent again, gives the same answer and changes nothing.
 */
export function clientFor(client: Client, key: string, by: "order" | "content"): Client {
  const { jobs, logger } = client.parts;
  const { name } = client;
  return new Client(client.engine, {
    name,
    requests: key,
    requestsByContent: by === "content",
    jobs: jobs as AnyJobs | undefined,
    logger,
  });
}

/** The jid of a job that a request puts without saying one, so that the same request says the same. */
export const jidFrom = (key: string, index: number) =>
  createHash("sha256").update(`${key} ${index}`).digest("hex").slice(0, 32);
