import type { TObject } from "@sinclair/typebox";
import { ELSEWHERE } from "./path-names.ts";
import type { Route } from "./route.ts";

type Json = Record<string, unknown>;

/** What every refusal looks like. */
const ERROR: Json = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "string", description: "which stays the same from version to version" },
        message: { type: "string", description: "a sentence for people" },
        uncertain: { type: "boolean", description: "whether it may have been done all the same" },
      },
    },
  },
};
const SEED_ERROR: Json = {
  type: "object",
  required: ["results", "error", "code"],
  properties: {
    results: { type: "null" },
    error: { type: "string" },
    code: { type: "string" },
    time: { type: "object" },
  },
};

const ABOUT = `Queues over HTTP. Lengths of time are seconds, or texts such as "30s"; moments are seconds since 1970,
or texts in the form of ISO 8601. A name in a path can be sent in the query instead, under the name of the parameter,
with - in its place in the path: the names . and .. have to be. Requests that change something need Content-Type: application/json, and may have an
Idempotency-Key: sent again with the same one, they act once.`;

const memory = new WeakMap<readonly Route[], Json>();

/** The table of routes as an OpenAPI 3.1 document. Pages for people are not in it. */
export function openApi(routes: readonly Route[], version: string): { openapi: string } & Json {
  const known = memory.get(routes) ?? documentOf(routes, version);
  memory.set(routes, known);
  return known as { openapi: string } & Json;
}

function documentOf(routes: readonly Route[], version: string): Json {
  const schemas: Record<string, unknown> = { Error: ERROR, SeedError: SEED_ERROR };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    if (route.media.startsWith("text/html")) continue;
    const path = pathOf(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "qless",
      version,
      description: ABOUT,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "../.." }],
    security: [{ bearer: [] }, { basic: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        basic: { type: "http", scheme: "basic" },
      },
    },
  };
}

const pathOf = (path: string) => path.replaceAll(/:(\w+)/g, "{$1}");

/** `GET /api/v1/jobs/:jid/explain` as `getJobsJidExplain`; those of the seeds are told apart. */
function nameOf({ method, path, seed }: Route): string {
  const words = path.replace("/api/v1", "").split(/\W+/);
  const capitals = words
    .filter((word) => word !== "")
    .map((word) => word[0]!.toUpperCase() + word.slice(1));
  return (seed ? "seed" : "") + method.toLowerCase() + capitals.join("");
}

function operationOf(route: Route, schemas: Record<string, unknown>): Json {
  const { says, role, acts, params, query, body, gives, media, status, seed } = route;
  const parameters = [
    ...parametersOf(params, "path", schemas),
    ...parametersOf(query, "query", schemas),
    ...Object.keys(params.properties).map(inQuery),
    ...(acts ? [IDEMPOTENCY] : []),
  ];
  const error = { $ref: `#/components/schemas/${seed ? "SeedError" : "Error"}` };
  return {
    operationId: nameOf(route),
    summary: says,
    tags: [tagOf(route)],
    "x-role": role,
    ...(role === "open" && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: (body.required ?? []).length > 0,
        content: { "application/json": { schema: hoisted(body, schemas) } },
      },
    }),
    responses: {
      [status]: { description: "Done", content: { [media]: { schema: hoisted(gives, schemas) } } },
      default: { description: "Refused", content: { "application/json": { schema: error } } },
    },
  };
}

const IDEMPOTENCY: Json = {
  name: "Idempotency-Key",
  in: "header",
  description: "Names this request, so that sending it again changes nothing",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

/** A name of the path that is sent in the query. */
const inQuery = (name: string): Json => ({
  name,
  in: "query",
  required: false,
  description: `${name}, if the path has ${ELSEWHERE} in its place; required for the names . and ..`,
  schema: { type: "string", minLength: 1, maxLength: 255 },
});

function tagOf({ path, seed }: Route): string {
  if (seed) return "seeds";
  return path.startsWith("/api/v1/") ? path.split("/")[3]!.replace(/\..*/, "") : "service";
}

function parametersOf(
  { properties, required = [] }: TObject,
  where: "path" | "query",
  schemas: Record<string, unknown>,
): Json[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: hoisted(schema, schemas),
    ...((schema as Json).type === "array" && { style: "form", explode: false }),
  }));
}

/** The schema with those parts that have a name moved to where all can refer to them. */
function hoisted(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => hoisted(part, schemas));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $id, ...rest } = schema as Json & { $id?: string };
  const parts = Object.entries(rest).map(([name, part]) => [name, hoisted(part, schemas)]);
  const plain = Object.fromEntries(parts);
  if ($id === undefined) return plain;
  schemas[$id] = plain;
  return { $ref: `#/components/schemas/${$id}` };
}
