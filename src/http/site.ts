import type { FastifyRequest } from "fastify";
import type { Client } from "../client/client.ts";
import { EngineClock } from "../client/engine-clock.ts";
import type { Logger } from "../client/observing.ts";
import { Upkeep } from "../client/upkeep.ts";
import { Audit } from "./audit.ts";
import { type Caller, Doorkeeper } from "./auth.ts";
import { EventHub } from "./events.ts";
import { QueueHistory } from "./history.ts";
import { Metrics } from "./metrics.ts";
import { Operations } from "./operations.ts";
import type { Settled } from "./options.ts";
import { Borders } from "./origin.ts";
import { RateLimit } from "./rate.ts";
import type { Route } from "./route.ts";
import type { Stream } from "./stream.ts";
import { WaitingRoom } from "./waiting-room.ts";

/** Between two rounds of upkeep at most, and after one that failed, in milliseconds. */
const UPKEEP_MS = 5000;

/** All that requests share, from when the server is mounted until it is closed. */
export class Site {
  readonly client: Client;
  readonly options: Settled;
  readonly logger: Logger | undefined;
  readonly doorkeeper: Doorkeeper;
  readonly borders: Borders;
  readonly rate: RateLimit | undefined;
  readonly clock: EngineClock;
  readonly hub: EventHub;
  readonly room: WaitingRoom;
  readonly operations: Operations;
  readonly audit: Audit;
  readonly history: QueueHistory;
  readonly metrics: Metrics;
  /** Who makes each request that was admitted. */
  readonly callers = new WeakMap<FastifyRequest, Caller>();
  readonly streams = new Set<Stream>();
  readonly routes: readonly Route[];
  readonly version: string;
  /** Requests that may take long, to be told when the server stops. */
  readonly waiting = new Set<AbortController>();
  readonly #upkeep: Upkeep;
  readonly #stopping = new AbortController();

  constructor(client: Client, options: Settled, routes: readonly Route[], version: string) {
    const { logger, tokens, hosts, origins, rateLimit } = options;
    this.client = client;
    this.routes = routes;
    this.version = version;
    this.options = options;
    this.logger = logger;
    this.doorkeeper = new Doorkeeper(tokens);
    this.borders = new Borders(hosts, origins, tokens !== undefined);
    this.rate = rateLimit === undefined ? undefined : new RateLimit(rateLimit);
    this.clock = new EngineClock(client.parts.calls);
    this.hub = new EventHub(client.events);
    this.room = new WaitingRoom(client, this.clock);
    this.operations = new Operations(this.hub, logger);
    this.audit = new Audit(logger);
    this.history = new QueueHistory(client, this.clock, logger);
    this.metrics = new Metrics(this);
    this.#upkeep = new Upkeep({
      client,
      clock: this.clock,
      roundMs: UPKEEP_MS,
      againMs: UPKEEP_MS,
      failed: (err) => logger?.debug({ err }, "A round of upkeep failed"),
    });
    if (options.upkeep) this.#upkeep.start();
    if (options.history) this.history.start();
  }

  /** Given when the server stops. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Answers all who wait, and ends what goes on; what was asked for before is still answered. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const stream of this.streams) stream.end();
    for (const waiting of this.waiting) waiting.abort();
    await Promise.all([
      this.room.close(),
      this.operations.close(),
      this.#upkeep.stop(),
      this.history.stop(),
    ]);
  }

  async close(): Promise<void> {
    await this.stop();
    this.metrics.close();
    await this.hub.close();
  }
}
