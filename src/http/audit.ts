import type { Client } from "../client/client.ts";
import type { Logger } from "../client/observing.ts";
import { Refused } from "../engine.ts";
import type { Caller } from "./auth.ts";
import type { EventHub } from "./events.ts";

/** What somebody did as an operator. */
export interface Deed {
  action: string;
  /** What it was done to: a job, a queue, a setting. */
  to?: string | undefined;
  /** How many jobs it concerned. */
  count?: number | undefined;
  /** The jobs in whose history it is noted, if they still are. */
  jids?: readonly string[];
  [fact: string]: unknown;
}

/**
 * Notes who did what, when and to how many: in the history of the jobs, on the log, and for those who
 * follow events. What was done stays done if it cannot be noted.
 */
export class Audit {
  readonly #logger: Logger | undefined;
  readonly #hub: EventHub;

  constructor(logger: Logger | undefined, hub: EventHub) {
    this.#logger = logger;
    this.#hub = hub;
  }

  async note(client: Client, caller: Caller, { jids = [], ...deed }: Deed): Promise<void> {
    const who = { by: caller.name, address: caller.address };
    this.#logger?.info({ audit: true, ...who, ...deed }, `Operator: ${deed.action}`);
    this.#hub.say({ channel: "server", event: "audit", by: caller.name, ...deed });
    await this.write(client, caller, deed.action, jids);
  }

  /** Notes it in the history of jobs alone. */
  async write(
    client: Client,
    caller: Caller,
    action: string,
    jids: readonly string[],
  ): Promise<void> {
    const entry = JSON.stringify({ action, by: caller.name });
    const noted = jids.map((jid) => client.parts.calls.write("log", [jid, "operator", entry]));
    for (const one of await Promise.allSettled(noted)) {
      // A job that is gone has no history.
      if (one.status === "fulfilled" || one.reason instanceof Refused) continue;
      this.#logger?.warn({ err: one.reason, action }, "An operator's action could not be noted");
    }
  }
}
