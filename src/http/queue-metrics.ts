import type { QueueCounts, QueueStatistics } from "../client/queue-types.ts";
import type { AnyEvent } from "./events.ts";
import { Exposition } from "./exposition.ts";
import { addStatistics, EMPTY_TOTALS, type Totals } from "./queue-totals.ts";
import type { Site } from "./site.ts";

/** Queues that have labels of their own; the others are told together, under an empty name. */
const MAX_QUEUES = 200;
/** How long an answer is good for, in milliseconds: several may scrape. */
const FRESH_MS = 1000;
/** How long the store may take for all of it. */
const TIMEOUT_MS = 5000;
const DAY_MS = 86_400_000;

const STATES = ["waiting", "running", "stalled", "scheduled", "depends", "recurring"] as const;
type Told = "put" | "canceled";

/** What is known of a queue besides its counts. */
interface Known {
  /** The day that `past` does not contain yet. */
  day: number;
  past: Totals;
  told: Record<Told, number>;
}

/**
 * Tells of the queues what the store counts by day, as numbers that only grow: when a day is over,
 * its last figures are added to those before. What no statistics has is counted by events, from the
 * first scrape on.
 */
export class QueueMetrics {
  readonly #site: Site;
  readonly #known = new Map<string, Known>();
  #locksLost = 0;
  #missed = 0;
  #hearing: Promise<() => void> | undefined;
  #fresh: { at: number; text: Promise<string> } | undefined;

  constructor(site: Site) {
    this.#site = site;
  }

  text(): Promise<string> {
    const now = performance.now();
    if (this.#fresh === undefined || now - this.#fresh.at > FRESH_MS) {
      const text = this.#collect();
      this.#fresh = { at: now, text };
      text.catch(() => {
        this.#fresh = undefined;
      });
    }
    return this.#fresh.text;
  }

  close(): void {
    this.#hearing?.then((leave) => leave()).catch(() => undefined);
  }

  async #collect(): Promise<string> {
    await this.#listen();
    const { client, clock } = this.#site;
    const limits = { timeout: TIMEOUT_MS };
    const today = Math.floor((await clock.now()) / DAY_MS);
    const queues = await client.queues({ count: 10_000 }, limits);
    const groups = await client.failures.groups(limits);
    const workers = await client.workers.list(limits);
    const named = queues.slice(0, MAX_QUEUES);
    const totals = await Promise.all(named.map(({ name }) => this.#totals(name, today)));
    const names = new Set(named.map(({ name }) => name));
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    const out = new Exposition();
    this.#tellCounts(out, named, queues.slice(MAX_QUEUES));
    this.#tellTotals(out, named, totals);
    const failed = [...groups.values()].reduce((sum, count) => sum + count, 0);
    out.gauge("qless_failed_jobs", "Jobs that failed and wait for somebody.", [[{}, failed]]);
    out.gauge("qless_failure_groups", "Groups of failures.", [[{}, groups.size]]);
    out.gauge("qless_workers", "Workers that are known.", [[{}, workers.length]]);
    out.gauge("qless_queues", "Queues that are known.", [[{}, queues.length]]);
    out.counter("qless_locks_lost_total", "Locks that workers lost.", [[{}, this.#locksLost]]);
    out.counter("qless_events_missed_total", "Times events were missed.", [[{}, this.#missed]]);
    return out.text;
  }

  #tellCounts(out: Exposition, named: QueueCounts[], others: QueueCounts[]): void {
    const rest = others.reduce<Record<string, number>>((sum, one) => {
      for (const state of STATES) sum[state] = (sum[state] ?? 0) + one[state];
      return sum;
    }, {});
    const rows = named.flatMap((one) =>
      STATES.map((state) => [{ queue: one.name, state }, one[state]] as const),
    );
    const more = Object.entries(rest).map(([state, n]) => [{ queue: "", state }, n] as const);
    out.gauge("qless_jobs", "Jobs by queue and state.", [...rows, ...more]);
    const paused = named.map((one) => [{ queue: one.name }, one.paused ? 1 : 0] as const);
    out.gauge("qless_queue_paused", "Whether the queue is paused.", paused);
  }

  #tellTotals(out: Exposition, named: QueueCounts[], totals: Totals[]): void {
    const rows = (value: (totals: Totals, known: Known) => number) =>
      named.map(
        ({ name }, i) => [{ queue: name }, value(totals[i]!, this.#known.get(name)!)] as const,
      );
    const puts = rows((_, { told }) => told.put);
    out.counter("qless_jobs_put_total", "Jobs put since the first scrape.", puts);
    const canceled = rows((_, { told }) => told.canceled);
    out.counter("qless_jobs_canceled_total", "Jobs canceled since the first scrape.", canceled);
    out.counter(
      "qless_jobs_popped_total",
      "Jobs handed out.",
      rows(({ wait }) => wait.count),
    );
    out.counter(
      "qless_jobs_completed_total",
      "Runs that ended well.",
      rows(({ run }) => run.count),
    );
    out.counter(
      "qless_jobs_failed_total",
      "Jobs that failed.",
      rows(({ failures }) => failures),
    );
    const retries = rows((one) => one.retries);
    out.counter("qless_jobs_retried_total", "Retries and lost locks.", retries);
    for (const kind of ["wait", "run"] as const) {
      const what = kind === "wait" ? "Time from put to pop." : "Time from pop to completion.";
      const all = named.map(({ name }, i) => [{ queue: name }, totals[i]![kind]] as const);
      out.histogram(`qless_job_${kind}_seconds`, what, all);
    }
  }

  /** All that statistics have counted since this process first asked, and the day before that. */
  async #totals(queue: string, today: number): Promise<Totals> {
    const known = this.#remember(queue, today);
    if (known.day < today) {
      const { past, day } = known;
      const last = await this.#statistics(queue, day);
      // Another scrape may have been faster.
      if (known.day === day) Object.assign(known, { past: addStatistics(past, last), day: today });
    }
    return addStatistics(known.past, await this.#statistics(queue, today));
  }

  #statistics(queue: string, day: number): Promise<QueueStatistics> {
    return this.#site.client.queue(queue).statistics(day * DAY_MS, { timeout: TIMEOUT_MS });
  }

  #remember(queue: string, day: number): Known {
    const known = this.#known.get(queue) ?? newKnown(day);
    this.#known.set(queue, known);
    return known;
  }

  #listen(): Promise<unknown> {
    if (this.#hearing === undefined) {
      const hearing = this.#site.hub.hear((event) => this.#count(event));
      this.#hearing = hearing;
      hearing.catch(() => {
        this.#hearing = undefined;
      });
    }
    return this.#hearing;
  }

  #count(event: AnyEvent): void {
    if (event.event === "missed") this.#missed += 1;
    if (event.channel !== "log") return;
    if (event.event === "lock_lost") this.#locksLost += 1;
    if (event.event !== "put" && event.event !== "canceled") return;
    // What was never scraped is counted from its first scrape on; names that come and go are bounded.
    const known = this.#known.get(event.queue);
    if (known !== undefined) known.told[event.event] += 1;
    else if (this.#known.size < MAX_QUEUES) {
      const day = Math.floor(Date.now() / DAY_MS);
      this.#remember(event.queue, day).told[event.event] += 1;
    }
  }
}

const newKnown = (day: number): Known => ({
  day,
  past: EMPTY_TOTALS,
  told: { put: 0, canceled: 0 },
});
