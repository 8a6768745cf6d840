import type { Calls } from "./calls.ts";
import type { Events } from "./events.ts";
import type { Logger } from "./observing.ts";
import type { PutBatch } from "./put-batch.ts";
import type { Registry } from "./registry.ts";
import type { Duration } from "./times.ts";

/** What has to stop before the engine is closed: a worker. */
export interface Stoppable {
  stop(options?: { grace?: Duration }): Promise<unknown>;
}

/** What queues and jobs share with the client they come from. */
export interface Parts {
  calls: Calls;
  events: Events;
  batch: PutBatch;
  jobs: Registry | undefined;
  logger: Logger | undefined;
  /** The workers that were started and not stopped. */
  workers: Set<Stoppable>;
  /** Whether the client is closed, or about to be: no worker can be started. */
  isClosed: boolean;
}
