import type { TObject } from "@sinclair/typebox";
import { HttpError } from "./errors.ts";

/** In place of a name in a path: the name is in the query, under the name of the parameter. */
export const ELSEWHERE = "-";

type Words = Readonly<Record<string, unknown>>;

/**
 * The parameters of a path and the rest of the query. A name may be in the query instead, so that a
 * client can send the names `.` and `..`: clients and proxies take these out of paths, and the request
 * would reach another route.
 */
export function namesIn(
  { properties }: TObject,
  path: Words,
  query: Words,
): { params: Words; query: Words } {
  const params: Record<string, unknown> = { ...path };
  const rest: Record<string, unknown> = { ...query };
  for (const [name, part] of Object.entries(path)) {
    if (name === "*" || !Object.hasOwn(properties, name)) continue;
    if (part === "." || part === "..") throw dots(name, part);
    if (query[name] === undefined) continue;
    if (part !== ELSEWHERE) throw twice(name);
    params[name] = query[name];
    delete rest[name];
  }
  return { params, query: rest };
}

function dots(name: string, part: string): HttpError {
  const fix = `put ${ELSEWHERE} in its place and add ?${name}=${part}`;
  const message = `${name} cannot be ${JSON.stringify(part)} in a path, which clients and proxies resolve: ${fix}`;
  return new HttpError(400, "BAD_REQUEST", message);
}

function twice(name: string): HttpError {
  const message = `${name} is in the path and in the query; to send it in the query, put ${ELSEWHERE} in the path`;
  return new HttpError(400, "BAD_REQUEST", message);
}
