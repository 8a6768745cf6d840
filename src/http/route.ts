import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Client } from "../client/client.ts";
import type { Caller } from "./auth.ts";
import type { Site } from "./site.ts";

/** What a token may be for. Whoever has `admin` may do everything. */
export const ROLES = ["read", "put", "work", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** One request that was let in and understood. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  params: Params;
  query: Query;
  body: Body;
  /** Acts once for all requests with the same `Idempotency-Key`, if there is one. */
  client: Client;
  caller: Caller;
  /** The digest of an `Idempotency-Key` and what came with it. */
  key: string | undefined;
  /** Given when the caller has gone or the server stops. */
  signal: AbortSignal;
  site: Site;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** What there is to know about a route: to serve it, to guard it, to describe it and to test it. */
export interface Route {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** Parameters are written `:name`. */
  path: string;
  /** Who may call it; `open` for anybody. */
  role: Role | "open";
  /** Whether it changes something or takes work, so that a foreign page must not be able to call it. */
  acts: boolean;
  /** What it does, in half a sentence. */
  says: string;
  params: TObject;
  query: TObject;
  body: TObject | undefined;
  gives: TSchema;
  /** What the answer is, if not JSON. */
  media: string;
  status: number;
  /**
   * Under which hosts it answers: those of the server; `any`, where the answer reveals nothing; or
   * `authorized`, any host for a caller with a token.
   */
  hosts: "own" | "any" | "authorized";
  /** Whether answers are in the envelope of the seeds, and members that are not known are passed over. */
  seed: boolean;
  run(call: Call): unknown;
}

type Nothing = TObject<Record<never, never>>;

/** A route as it is written down: what it takes and gives is known to its function. */
export interface Spec<
  Params extends TObject,
  Query extends TObject,
  Body extends TObject,
  Gives extends TSchema,
> extends Pick<Route, "method" | "path" | "role" | "says"> {
  /** Default: whatever is not a GET does. */
  acts?: boolean;
  params?: Params;
  query?: Query;
  body?: Body;
  gives: Gives;
  media?: string;
  status?: number;
  hosts?: Route["hosts"];
  seed?: boolean;
  run(
    call: Call<Static<Params>, Static<Query>, Static<Body>>,
  ): Promise<Static<Gives>> | Static<Gives>;
}

/** Writes down a route. */
export function route<
  Params extends TObject = Nothing,
  Query extends TObject = Nothing,
  Body extends TObject = Nothing,
  Gives extends TSchema = TSchema,
>(spec: Spec<Params, Query, Body, Gives>): Route {
  const { acts = spec.method !== "GET", media = "application/json", status = 200 } = spec;
  const { params = NOTHING, query = NOTHING, body, hosts = "own", seed = false } = spec;
  const run = spec.run as Route["run"];
  return { ...spec, acts, media, status, params, query, body, hosts, seed, run };
}

const NOTHING: TObject = Type.Object({}, { additionalProperties: false });
