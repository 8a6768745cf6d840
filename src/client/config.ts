import type { CallLimits, Calls } from "./calls.ts";
import { type Backoff, backoffText } from "./put-options.ts";
import { type Duration, seconds } from "./times.ts";

/** Settings and what they take; docs/protocol.md says what each does. Times are lengths. */
export interface Settings {
  application: string;
  heartbeat: Duration;
  "grace-period": Duration;
  "jobs-history": Duration;
  "jobs-history-count": number;
  "max-job-history": number;
  "max-worker-age": Duration;
  "priority-order": "lowest-first" | "highest-first";
  /** Days. */
  "stats-history": number;
  "histogram-history": number;
}

/** What a queue may have of its own. */
export interface QueueSettings {
  heartbeat: Duration;
  "max-concurrency": number;
  retries: number;
  backoff: Backoff | string;
  cutoff: Duration;
}

const LENGTHS = new Set(["heartbeat", "grace-period", "jobs-history", "max-worker-age", "cutoff"]);

/** Settings of the whole namespace and of single queues, checked before they are kept. */
export class Config {
  readonly #calls: Calls;

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Everything that is set or has a default, as text; times in seconds. */
  all(limits?: CallLimits): Promise<Record<string, string | number>> {
    return this.#calls.json("config.get", [], limits);
  }

  /** One setting as it is kept; undefined when it is not set and has no default. */
  async get(name: keyof Settings, limits?: CallLimits): Promise<string | undefined> {
    const value = await this.#calls.read("config.get", [name], limits);
    return value === false ? undefined : String(value);
  }

  async set<Name extends keyof Settings>(
    name: Name,
    value: Settings[Name],
    limits?: CallLimits,
  ): Promise<void> {
    await this.#calls.write("config.set", [name, textOf(name, value)], limits);
  }

  /** Back to the default. */
  async unset(name: keyof Settings, limits?: CallLimits): Promise<void> {
    await this.#calls.write("config.unset", [name], limits);
  }

  async setQueue<Name extends keyof QueueSettings>(
    queue: string,
    name: Name,
    value: QueueSettings[Name],
    limits?: CallLimits,
  ): Promise<void> {
    await this.#calls.write("config.set", [`${queue}-${name}`, textOf(name, value)], limits);
  }

  async unsetQueue(queue: string, name: keyof QueueSettings, limits?: CallLimits): Promise<void> {
    await this.#calls.write("config.unset", [`${queue}-${name}`], limits);
  }
}

function textOf(name: string, value: unknown): string | number {
  if (name === "backoff") return backoffText(value as Backoff | string);
  return LENGTHS.has(name) ? seconds(value as Duration, name) : (value as string | number);
}
