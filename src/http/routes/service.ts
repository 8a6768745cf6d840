import { Type } from "@sinclair/typebox";
import { HttpError } from "../errors.ts";
import { KINDS } from "../events.ts";
import { HEADERS } from "../headers.ts";
import { openApi } from "../openapi.ts";
import { route } from "../route.ts";
import { Name, strict, words } from "../schemas.ts";
import { Stream, type StreamFilter } from "../stream.ts";

/** How long the store may take to show that it is there, in milliseconds. */
const READY_MS = 2000;

const STREAM_HEADERS = {
  ...HEADERS,
  "content-type": "text/event-stream; charset=utf-8",
  connection: "keep-alive",
  // Proxies that collect what they pass on would hold events back.
  "x-accel-buffering": "no",
};

export const service = [
  route({
    method: "GET",
    path: "/healthz",
    role: "open",
    hosts: "any",
    says: "Tells that the server runs",
    gives: Type.Object({ ok: Type.Literal(true) }),
    run: () => ({ ok: true as const }),
  }),
  route({
    method: "GET",
    path: "/readyz",
    role: "open",
    hosts: "any",
    says: "Tells whether the store answers and requests should be sent here",
    gives: Type.Object({ ready: Type.Literal(true) }),
    async run({ client, site }) {
      if (site.stopping.aborted) throw new HttpError(503, "STOPPING", "The server stops", 5);
      await client.queues({ count: 1 }, { timeout: READY_MS });
      return { ready: true as const };
    },
  }),
  route({
    method: "GET",
    path: "/metrics",
    role: "read",
    hosts: "authorized",
    says: "Tells figures for Prometheus",
    media: "text/plain; version=0.0.4; charset=utf-8",
    gives: Type.String(),
    run: ({ site }) => site.metrics.text(),
  }),
  route({
    method: "GET",
    path: "/api/v1/openapi.json",
    role: "open",
    says: "Describes this interface",
    gives: Type.Object({ openapi: Type.String() }, { additionalProperties: true }),
    run: ({ site }) => openApi(site.routes, site.version),
  }),
  route({
    method: "GET",
    path: "/api/v1/server",
    role: "read",
    says: "Tells who serves, and as whom the caller is known",
    gives: Type.Object({
      version: Type.String(),
      namespace: Type.String(),
      now: Type.Number({ description: "seconds since 1970, by the engine's clock" }),
      caller: Type.Object({ name: Type.String(), roles: Type.Array(Type.String()) }),
    }),
    async run({ site, client, caller }) {
      return {
        version: site.version,
        namespace: client.engine.namespace,
        now: (await site.clock.now()) / 1000,
        caller: { name: caller.name, roles: [...caller.roles] },
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/events",
    role: "read",
    says: "Sends events as they happen; Last-Event-ID goes on where a reader was cut off",
    media: "text/event-stream",
    query: strict({
      channel: Type.Optional(words(["log", "tracked", "worker", "server", "all"])),
      kind: Type.Optional(
        Type.Array(words(KINDS), {
          maxItems: 32,
          description: `names of events, separated by commas: ${KINDS.join(", ")}`,
        }),
      ),
      queue: Type.Optional(Name),
      jid: Type.Optional(Name),
      worker: Type.Optional(Name),
    }),
    gives: Type.String(),
    async run({ site, query, request, reply, signal }) {
      if (request.method === "HEAD") return "";
      if (site.streams.size >= site.options.maxStreams) {
        const message = `${site.options.maxStreams} readers follow events already`;
        throw new HttpError(503, "TOO_MANY_STREAMS", message, 10);
      }
      const stream = new Stream(site.hub, reply.raw, query as StreamFilter);
      const last = request.headers["last-event-id"];
      site.streams.add(stream);
      const end = () => {
        site.streams.delete(stream);
        stream.end();
      };
      signal.addEventListener("abort", end, { once: true });
      try {
        const hijack = () => reply.hijack();
        await stream.start(typeof last === "string" ? last : undefined, STREAM_HEADERS, hijack);
      } catch (error) {
        end();
        throw error;
      }
      return "";
    },
  }),
];
