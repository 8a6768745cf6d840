import { writeJson } from "../../json/raw-json.ts";
import { type Keep, readKeeping } from "../../json/read-keeping.ts";
import { currentToken, wantsToken } from "./session.ts";
import { Store } from "./store.ts";

/** An answer that says no, in the words of the server. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Whether the server answers: since when it does not, and what went wrong. */
export interface Reachability {
  lostAt: number | undefined;
  message: string;
}

export const reachability = new Store<Reachability>({ lostAt: undefined, message: "" });

/** Milliseconds after which a request counts as lost. */
const TIMEOUT_MS = 20_000;

const ROOT = new URL("..", new URL(location.pathname, location.origin)).href;

/** Where the interface is: `/ui/` lies beside `/api/`, under whatever path there is before both. */
export const urlOf = (path: string) => ROOT + path.replace(/^\//, "");

export function headersFor(body: boolean): Record<string, string> {
  const token = currentToken();
  return {
    ...(body && { "content-type": "application/json" }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

type Query = Record<string, string | number | undefined>;

export function queryOf(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  if (given.length === 0) return "";
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

export interface Request {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  body?: unknown;
}

/** Asks the server; throws an `ApiError` whose message can be shown as it is. */
export async function ask<Result>(
  { method, path, body }: Request,
  signal?: AbortSignal,
): Promise<Result> {
  const sends = method === "POST" || method === "PUT";
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  let response: Response;
  try {
    response = await fetch(urlOf(path), {
      method,
      headers: headersFor(sends),
      ...(sends && { body: writeJson(body ?? {})! }),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw lost("The server does not answer");
  }
  return read<Result>(response);
}

const ofOne: Keep = { members: new Map([["data", "raw"]]) };
const ofMany: Keep = { items: ofOne };
/** Where answers have data of jobs. It stays text: the browser would round large numbers. */
const DATA: Keep = {
  members: new Map<string, Keep>([
    ["data", "raw"],
    ["job", ofOne],
    ["jobs", ofMany],
    ["schedules", ofMany],
    ["recurring", ofMany],
  ]),
};

async function read<Result>(response: Response): Promise<Result> {
  const answer = await response
    .text()
    .then((text) => readKeeping(text, DATA))
    .catch(() => undefined);
  if (response.ok && answer !== undefined) {
    if (reachability.value.lostAt !== undefined) {
      reachability.set({ lostAt: undefined, message: "" });
    }
    return answer as Result;
  }
  const { code = "FAILED", message = `The server answered ${response.status}` } =
    (answer as { error?: { code?: string; message?: string } } | undefined)?.error ?? {};
  if (response.status === 401) wantsToken.set(message);
  if (response.status >= 500 && !code.startsWith("TOO_MANY")) {
    throw lost(message, response.status, code);
  }
  throw new ApiError(response.status, code, message);
}

function lost(message: string, status = 0, code = "UNREACHABLE"): ApiError {
  const { lostAt = Date.now() } = reachability.value;
  reachability.set({ lostAt, message });
  return new ApiError(status, code, message);
}

export const get = <Result>(path: string, query: Query = {}, signal?: AbortSignal) =>
  ask<Result>({ method: "GET", path: joined(path, queryOf(query)) }, signal);

const joined = (path: string, query: string) =>
  path.includes("?") ? path + query.replace("?", "&") : path + query;

/**
 * A path with names in it: `pathTo("/jobs/:jid/retry", { jid })`. Browsers take `.` and `..` out of a
 * path, however they are written, and would ask another route. Such a name goes into the query.
 */
export function pathTo(pattern: string, names: Readonly<Record<string, string>>): string {
  const aside: Query = {};
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = names[name]!;
    if (value !== "." && value !== "..") return encodeURIComponent(value);
    aside[name] = value;
    return "-";
  });
  return path + queryOf(aside);
}
