import type { Client } from "../client/client.ts";
import type { Logger } from "../client/observing.ts";
import { Refused } from "../engine.ts";
import type { Caller } from "./auth.ts";

/** What somebody did as an operator. */
export interface Deed {
  action: string;
  /** What it was done to: a job, a queue, a setting. */
  to?: string | undefined;
  /** How many jobs it concerned. */
  count?: number | undefined;
  /** The jobs in whose history it is noted, if they still are. */
  jids?: readonly string[];
  /** The queue that it was done in. */
  queue?: string | undefined;
  [fact: string]: unknown;
}

/** Bytes of facts that the engine takes. */
const MAX_FACTS = 8192;

/**
 * Notes who did what, when and to how many: in the history of the jobs, in the server's own log, and
 * on the log channel, for those who follow events. What was done stays done if it cannot be noted.
 */
export class Audit {
  readonly #logger: Logger | undefined;

  constructor(logger: Logger | undefined) {
    this.#logger = logger;
  }

  async note(client: Client, caller: Caller, { jids = [], ...deed }: Deed): Promise<void> {
    const who = { by: caller.name, address: caller.address };
    this.#logger?.info({ audit: true, ...who, ...deed }, `Operator: ${deed.action}`);
    await Promise.all([
      this.#announce(client, caller.name, deed),
      this.write(client, caller, deed.action, jids),
    ]);
  }

  /** Tells all who follow the log of the namespace, by whatever server or program. */
  async #announce(client: Client, by: string, deed: Deed): Promise<void> {
    const { action, to, queue, count, ...facts } = deed;
    try {
      await client.maintenance.note({ by, action, to, queue, count, facts: factsOf(facts) });
    } catch (err) {
      this.#logger?.warn({ err, action }, "An operator's action could not be announced");
    }
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

/** The facts if there are any, and not too many for the engine. */
function factsOf(given: object): Record<string, unknown> | undefined {
  const facts = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const isShort = Buffer.byteLength(JSON.stringify(facts)) <= MAX_FACTS;
  return Object.keys(facts).length > 0 && isShort ? facts : undefined;
}
