import type { Calls } from "./calls.ts";
import type { Events } from "./events.ts";
import type { Logger } from "./observing.ts";
import type { PutBatch } from "./put-batch.ts";
import type { Registry } from "./registry.ts";

/** What queues and jobs share with the client they come from. */
export interface Parts {
  calls: Calls;
  events: Events;
  batch: PutBatch;
  jobs: Registry | undefined;
  logger: Logger | undefined;
}
