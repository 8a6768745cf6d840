import type { CallLimits, Calls } from "./calls.ts";
import { type Backoff, backoffText } from "./put-options.ts";
import { type Duration, invalid, seconds } from "./times.ts";

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

type Kinds<Of> = Readonly<Record<keyof Of, "length" | "plain" | "backoff">>;

const SETTINGS: Kinds<Settings> = {
  application: "plain",
  heartbeat: "length",
  "grace-period": "length",
  "jobs-history": "length",
  "jobs-history-count": "plain",
  "max-job-history": "plain",
  "max-worker-age": "length",
  "priority-order": "plain",
  "stats-history": "plain",
  "histogram-history": "plain",
};

const QUEUE_SETTINGS: Kinds<QueueSettings> = {
  heartbeat: "length",
  "max-concurrency": "plain",
  retries: "plain",
  backoff: "backoff",
  cutoff: "length",
};

/** Whether a setting, of the namespace or of a queue, is a length of time. */
export const isLength = (name: string): boolean =>
  ({ ...SETTINGS, ...QUEUE_SETTINGS })[name as keyof Settings] === "length";

/** Names under which settings of a queue are kept. */
export const keptNamesOf = (queue: string): string[] =>
  Object.keys(QUEUE_SETTINGS).map((name) => `${queue}-${name}`);

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
    const value = await this.#calls.read("config.get", [known(SETTINGS, name)], limits);
    return value === false ? undefined : String(value);
  }

  async set<Name extends keyof Settings>(
    name: Name,
    value: Settings[Name],
    limits?: CallLimits,
  ): Promise<void> {
    await this.#calls.write("config.set", [name, textOf(SETTINGS, name, value)], limits);
  }

  /** Back to the default. */
  async unset(name: keyof Settings, limits?: CallLimits): Promise<void> {
    await this.#calls.write("config.unset", [known(SETTINGS, name)], limits);
  }

  async setQueue<Name extends keyof QueueSettings>(
    queue: string,
    name: Name,
    value: QueueSettings[Name],
    limits?: CallLimits,
  ): Promise<void> {
    const text = textOf(QUEUE_SETTINGS, name, value);
    await this.#calls.write("config.set", [`${queue}-${name}`, text], limits);
  }

  async unsetQueue(queue: string, name: keyof QueueSettings, limits?: CallLimits): Promise<void> {
    const option = `${queue}-${known(QUEUE_SETTINGS, name)}`;
    await this.#calls.write("config.unset", [option], limits);
  }
}

/** The name, if it is a setting: the engine keeps any other as it comes, a misspelt one too. */
function known<Of>(kinds: Kinds<Of>, name: keyof Of): string {
  if (Object.hasOwn(kinds, name)) return String(name);
  const names = Object.keys(kinds).join(", ");
  throw invalid(`There is no setting ${JSON.stringify(name)}; the settings are ${names}`);
}

function textOf<Of>(kinds: Kinds<Of>, name: keyof Of, value: unknown): string | number {
  const word = known(kinds, name);
  if (kinds[name] === "backoff") return backoffText(value as Backoff | string);
  return kinds[name] === "length" ? seconds(value as Duration, word) : (value as string | number);
}
