import type { FastifyReply, FastifyRequest } from "fastify";
import type { Client } from "../client/client.ts";
import type { Caller } from "./auth.ts";
import { clientFor, keyOf } from "./idempotency.ts";
import { namesIn } from "./path-names.ts";
import type { Call, Route } from "./route.ts";
import type { Site } from "./site.ts";
import type { Validator } from "./validation.ts";

/** How the parts of a request are checked. */
export interface Checks {
  params: Validator;
  query: Validator;
  body: Validator | undefined;
}

/** A request on its way to the function of its route. */
export class HttpCall implements Call {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly client: Client;
  readonly caller: Caller;
  readonly key: string | undefined;
  readonly site: Site;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  #gone: AbortController | undefined;

  constructor(
    site: Site,
    route: Route,
    checks: Checks,
    { request, reply, caller }: { request: FastifyRequest; reply: FastifyReply; caller: Caller },
  ) {
    this.site = site;
    this.request = request;
    this.reply = reply;
    this.caller = caller;
    const { params, query } = namesIn(
      route.params,
      request.params as Record<string, unknown>,
      request.query as Record<string, unknown>,
    );
    this.params = checks.params.checkedWords(params);
    this.query = checks.query.checkedWords(query);
    this.body = checks.body?.checked(request.body === undefined ? {} : request.body);
    this.key = route.acts ? keyOf(request, caller.name) : undefined;
    this.client = this.key === undefined ? site.client : clientFor(site.client, this.key, "order");
  }

  /** Made when it is asked for: most requests are over before anybody could. */
  get signal(): AbortSignal {
    if (this.#gone !== undefined) return this.#gone.signal;
    const gone = new AbortController();
    const { waiting, stopping } = this.site;
    this.#gone = gone;
    const { raw } = this.reply;
    if (raw.destroyed || stopping.aborted) gone.abort();
    else {
      waiting.add(gone);
      raw.once("close", () => {
        waiting.delete(gone);
        gone.abort();
      });
    }
    return gone.signal;
  }
}
