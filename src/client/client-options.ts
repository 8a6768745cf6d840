import type { Known } from "./known.ts";
import type { Logger } from "./observing.ts";
import type { AnyJobs, Registry } from "./registry.ts";

export interface ClientOptions<Jobs extends Registry = AnyJobs> {
  /** The klasses there are; with it, data is checked before it is put. */
  jobs?: Jobs | undefined;
  /** Who this is, where commands name a worker; default: host, process and something random. */
  name?: string | undefined;
  /** Told of each call at level debug, and of dangers; a pino logger fits. Silent by default. */
  logger?: Logger | undefined;
  /**
   * Names what this client is made for, such as one request from elsewhere. Another client of the
   * same name that makes the same calls in the same order repeats the answers, and changes nothing.
   */
  requests?: string | undefined;
  /** The same calls in any order, and among others: each is known by what it says. */
  requestsByContent?: boolean | undefined;
}

/** The names of the options of a client. */
export const CLIENT_OPTIONS: Known<ClientOptions> = {
  ...{ jobs: true, name: true, logger: true, requests: true, requestsByContent: true },
};
