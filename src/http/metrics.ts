import { tracingChannel } from "node:diagnostics_channel";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { CallMessage } from "../client/observing.ts";
import { toldOf } from "./errors.ts";
import { QueueMetrics } from "./queue-metrics.ts";
import type { Route } from "./route.ts";
import type { Site } from "./site.ts";

const BUCKETS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** What a request is counted under that meets no route. */
const NO_ROUTE = "none";

/** What Prometheus is told: of this server, of the store under it, and of the queues. */
export class Metrics {
  readonly #site: Site;
  readonly #registry = new Registry();
  readonly #queues: QueueMetrics;
  readonly #requests = this.#counter("qless_http_requests_total", "Requests answered.", [
    "method",
    "route",
    "status",
  ]);
  readonly #took = this.#histogram("qless_http_request_seconds", "Time to answer.", "route");
  readonly #store = this.#histogram(
    "qless_store_seconds",
    "Time of calls to the store.",
    "command",
  );
  readonly #storeErrors = this.#counter("qless_store_errors_total", "Calls without an answer.", [
    "code",
  ]);
  readonly #up = this.#gauge("qless_up", "Whether the store answers.");
  readonly #streams = this.#gauge("qless_http_streams", "Readers of events.");
  readonly #polls = this.#gauge("qless_http_polls", "Requests that wait for jobs.");
  readonly #memory = this.#gauge("process_resident_memory_bytes", "Memory of the process.");
  readonly #lag = this.#gauge("qless_event_loop_lag_seconds", "Since the last scrape.", "quantile");
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: 20 });
  readonly #begun = new WeakMap<object, number>();
  readonly #watch = { start: this.#callBegan.bind(this), asyncEnd: this.#callEnded.bind(this) };
  #isWatching = false;

  constructor(site: Site) {
    this.#site = site;
    this.#queues = new QueueMetrics(site);
  }

  /** Counts a request that was answered. */
  answered(route: Route | undefined, method: string, status: number, ms: number): void {
    const path = route?.path ?? NO_ROUTE;
    this.#requests.inc({ method: route === undefined ? NO_ROUTE : method, route: path, status });
    this.#took.observe({ route: path }, ms / 1000);
  }

  /** Everything, in the text that Prometheus reads. What the store does not tell is left out. */
  async text(): Promise<string> {
    this.#watchStore();
    let queues = "";
    try {
      queues = await this.#queues.text();
      this.#up.set(1);
    } catch (error) {
      const { isOurs } = toldOf(error);
      if (isOurs) this.#site.logger?.error({ err: error }, "The metrics of queues broke down");
      this.#up.set(0);
    }
    this.#streams.set(this.#site.streams.size);
    this.#polls.set(this.#site.room.size);
    this.#memory.set(process.memoryUsage.rss());
    this.#noteLag();
    return (await this.#registry.metrics()) + queues;
  }

  close(): void {
    this.#delay.disable();
    this.#queues.close();
    if (this.#isWatching) tracingChannel("qless.call").unsubscribe(this.#watch as never);
  }

  /** Not before somebody asks: watching every call costs a little. */
  #watchStore(): void {
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#delay.enable();
    tracingChannel("qless.call").subscribe(this.#watch as never);
  }

  #callBegan(message: CallMessage): void {
    this.#begun.set(message, performance.now());
  }

  #callEnded(message: CallMessage & { error?: unknown }): void {
    const begun = this.#begun.get(message);
    const { command, namespace, error } = message;
    if (begun === undefined || namespace !== this.#site.client.engine.namespace) return;
    this.#store.observe({ command }, (performance.now() - begun) / 1000);
    if (error !== undefined && toldOf(error).status >= 500) {
      this.#storeErrors.inc({ code: toldOf(error).code });
    }
  }

  #noteLag(): void {
    const inSeconds = (ns: number) => (Number.isFinite(ns) ? ns / 1e9 : 0);
    this.#lag.set({ quantile: "0.5" }, inSeconds(this.#delay.percentile(50)));
    this.#lag.set({ quantile: "0.99" }, inSeconds(this.#delay.percentile(99)));
    this.#lag.set({ quantile: "1" }, inSeconds(this.#delay.max));
    this.#delay.reset();
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, label: string): Histogram {
    const registers = [this.#registry];
    return new Histogram({ name, help, labelNames: [label], buckets: BUCKETS, registers });
  }

  #gauge(name: string, help: string, ...labelNames: string[]): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }
}
