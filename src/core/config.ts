import { BACKOFF_RULE, readBackoff } from "./backoff.ts";
import { configKey } from "./keys.ts";
import { MAX_SECONDS } from "./limits.ts";
import type { Absent, Store } from "./store.ts";

/** Settings and what they are when nobody has set them; docs/protocol.md says what each does. */
export const DEFAULTS: readonly (readonly [name: string, value: string])[] = [
  ["application", "qless"],
  ["grace-period", "10"],
  ["heartbeat", "60"],
  ["histogram-history", "7"],
  ["jobs-history", "604800"],
  ["jobs-history-count", "50000"],
  ["max-job-history", "100"],
  ["max-worker-age", "86400"],
  ["priority-order", "lowest-first"],
  ["stats-history", "30"],
];

/** What a queue may have of its own, as `<queue>-<word>`. */
export const QUEUE_SETTINGS: readonly string[] = [
  "heartbeat",
  "max-concurrency",
  "retries",
  "backoff",
  "cutoff",
];

export const DEFAULT_RETRIES = 5;

/** What a pop needs to know of the configuration. */
export interface PopSettings {
  heartbeatMs: number;
  graceMs: number;
  historyLimit: number;
  highestFirst: boolean;
  /** 0 when there is no limit. */
  maxConcurrency: number;
  /** 0 when there is none. */
  cutoffMs: number;
}

/** What holds where nothing is set; shared, so nobody may write to it. */
export const USUAL: PopSettings = {
  heartbeatMs: 60000,
  graceMs: 10000,
  historyLimit: 100,
  highestFirst: false,
  maxConcurrency: 0,
  cutoffMs: 0,
};

const POP_NAMES = ["heartbeat", "grace-period", "max-job-history", "priority-order"];

/** `own` says whether the queue has settings of its own, so that most calls need not look. */
export function popSettings(store: Store, queue: string, own: string | Absent): PopSettings {
  // Asking whether anything is set at all is a quarter of the cost of asking for four settings.
  if (own === false && !store.exists(configKey())) return USUAL;
  const [beat, grace, history, order] = store.fields(configKey(), POP_NAMES);
  const settings = {
    heartbeatMs: milliseconds(store, beat!, 60000),
    graceMs: milliseconds(store, grace!, 10000),
    historyLimit: plain(store, history!, 100),
    highestFirst: order === "highest-first",
    maxConcurrency: 0,
    cutoffMs: 0,
  };
  if (own !== false) applyOwnSettings(store, queue, settings);
  return settings;
}

function applyOwnSettings(store: Store, queue: string, settings: PopSettings): void {
  const [beat, seedBeat, limit, cutoff] = store.fields(configKey(), [
    queue + "-heartbeat",
    "heartbeat-" + queue,
    queue + "-max-concurrency",
    queue + "-cutoff",
  ]);
  const own = beat !== false ? beat! : seedBeat!;
  settings.heartbeatMs = milliseconds(store, own, settings.heartbeatMs);
  settings.maxConcurrency = plain(store, limit!, 0);
  settings.cutoffMs = milliseconds(store, cutoff!, 0);
}

/** The retries that jobs have in a queue unless they say otherwise, where they are set. */
export function usualRetries(store: Store, queue: string): number | undefined {
  const set = store.field(configKey(), queue + "-retries");
  return set === false ? undefined : store.text.value(set);
}

/** One numeric setting of the namespace, or its default. */
export function setting(store: Store, name: string): number {
  const value = store.field(configKey(), name);
  if (value !== false) return plain(store, value, 0);
  for (const [known, fallback] of DEFAULTS) {
    if (known === name) return plain(store, fallback, 0);
  }
  return 0;
}

/** How many entries of history a job keeps; 0 or less for all. */
export const historyLimit = (store: Store) => setting(store, "max-job-history");

function plain(store: Store, value: string | Absent, fallback: number): number {
  if (value === false) return fallback;
  return store.text.number(value) ?? fallback;
}

function milliseconds(store: Store, value: string | Absent, fallback: number): number {
  if (value === false) return fallback;
  return Math.floor(plain(store, value, fallback / 1000) * 1000 + 0.5);
}

/** Settings that must be numbers, whole ones where a count is meant; the queue's own included. */
const WHOLE = ["jobs-history-count", "max-job-history", "max-concurrency", "retries"];
const NUMERIC = [
  "grace-period",
  "heartbeat",
  "histogram-history",
  "jobs-history",
  "max-worker-age",
  "stats-history",
  "cutoff",
];

/** The word that decides how a setting is checked: its name, without the queue it is about. */
function wordOf(store: Store, option: string): string {
  for (const word of QUEUE_SETTINGS) {
    if (store.text.withoutEnd(option, "-" + word) !== undefined) return word;
  }
  return store.text.startsWith(option, "heartbeat-") ? "heartbeat" : option;
}

/** Whether a setting's value is a number. */
export function isNumeric(store: Store, option: string): boolean {
  const word = wordOf(store, option);
  return has(WHOLE, word) || has(NUMERIC, word);
}

function has(words: string[], wanted: string): boolean {
  for (const word of words) if (word === wanted) return true;
  return false;
}

/** The refusal of a value that a setting cannot have. */
export function judgeSetting(store: Store, option: string, value: string): string | undefined {
  const word = wordOf(store, option);
  if (word === "priority-order" && value !== "lowest-first" && value !== "highest-first") {
    return "BAD_ARGUMENT priority-order must be lowest-first or highest-first";
  }
  if (word === "backoff" && readBackoff(store, value) === undefined) {
    return `BAD_ARGUMENT ${option} must be ${BACKOFF_RULE}`;
  }
  if (!isNumeric(store, option)) return undefined;
  const number = store.text.number(value);
  if (number === undefined || number > MAX_SECONDS || number < -MAX_SECONDS) {
    return `BAD_ARGUMENT ${option} must be a number`;
  }
  if (has(WHOLE, word) && Math.floor(number) !== number) {
    return `BAD_ARGUMENT ${option} must be a whole number`;
  }
  if ((word === "retries" || word === "max-concurrency") && number < 0) {
    return `BAD_ARGUMENT ${option} must not be negative`;
  }
  return undefined;
}

/** The queues that a setting is about: none, one, or two for a name that can be read both ways. */
export function queueOfSetting(store: Store, option: string): string[] {
  const queues: string[] = [];
  for (const word of QUEUE_SETTINGS) {
    const queue = store.text.withoutEnd(option, "-" + word);
    if (queue !== undefined && queue !== "") queues.push(queue);
  }
  if (store.text.startsWith(option, "heartbeat-")) {
    const queue = store.text.skip(option, 10);
    if (queue !== "") queues.push(queue);
  }
  return queues;
}

/** Whether anything is set for the queue alone. */
export function hasOwnSettings(store: Store, queue: string): boolean {
  const names = ["heartbeat-" + queue];
  for (const word of QUEUE_SETTINGS) names.push(queue + "-" + word);
  for (const value of store.fields(configKey(), names)) if (value !== false) return true;
  return false;
}
