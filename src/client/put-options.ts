import { type CallLimits, LIMITS } from "./calls.ts";
import { checkKnown, type Known } from "./known.ts";
import { type Duration, invalid, type Moment, momentMs, seconds } from "./times.ts";

/** How long a job rests before it is tried again. */
export interface Backoff {
  /** Always the same, growing by `base` with each retry, or doubling. */
  kind: "fixed" | "linear" | "exponential";
  base: Duration;
  /** The longest rest. */
  cap?: Duration | undefined;
  /** From 0 to 1: how far chance may move the rest to either side. */
  jitter?: number | undefined;
}

/** Keeps a second job from being put while there is one with the same key. */
export interface Unique {
  /** The key; left out, it is made of klass and data. */
  key?: string | undefined;
  /** How long the job holds the key: until it starts, completes (default), or completes or fails. */
  until?: "start" | "complete" | "failed" | undefined;
  /** In place of `until`: for this long, whatever becomes of the job. */
  for?: Duration | undefined;
  /**
   * What a second put does: nothing (`keep`, default), put the first job again as it says
   * (`replace`), give it its `data`, or move its `time`. A running job is always kept as it is.
   */
  conflict?: "keep" | "replace" | "data" | "time" | undefined;
}

export interface PutOptions extends CallLimits {
  /** The job's id. Without it, the job gets a new one. */
  jid?: string | undefined;
  /**
   * What to do if a job with this `jid` exists, in any state: leave it as it is (`keep`, the
   * default), put it again with this data and these options (`replace`), or throw `JidTaken`
   * (`refuse`). Judged before `unique`.
   */
  ifExists?: "keep" | "replace" | "refuse" | undefined;
  /** Lower runs sooner, default 0. */
  priority?: number | undefined;
  /** How long to wait before the job may run. */
  delay?: Duration | undefined;
  /** When the job may run, by the clock of the engine. */
  at?: Moment | undefined;
  /** How often the job is tried again after it was lost or failed a try; default 5. */
  retries?: number | undefined;
  backoff?: Backoff | string | undefined;
  tags?: readonly string[] | undefined;
  /** Jids of jobs that must be complete before this one may run. */
  depends?: readonly string[] | undefined;
  /** Where the job comes from: a program, a host, a customer. */
  source?: string | undefined;
  /** How long one run may last in all, heartbeats or not. */
  cutoff?: Duration | undefined;
  /** `true` for a key made of klass and data. */
  unique?: Unique | string | true | undefined;
  /**
   * For programs that put jobs on behalf of others: a put that would replace or change an existing
   * job throws `NOT_PERMITTED`.
   */
  createsOnly?: boolean | undefined;
}

const EXISTING = ["keep", "replace", "refuse"];

/**
 * Adds what a put does if its jid exists. A jid that was generated here cannot exist, so nothing is
 * asked; with a unique key, the option still makes the engine answer what was done to the holder.
 */
export function addExisting(
  words: (string | number)[],
  { jid, ifExists = "keep", createsOnly }: PutOptions,
  hasKey: boolean,
): void {
  if (!EXISTING.includes(ifExists)) throw invalid("ifExists must be keep, replace or refuse");
  if (jid === undefined && !hasKey) return;
  words.push("exists", jid === undefined ? "replace" : ifExists);
  if (createsOnly === true) words.push("protect", 1);
}

export const PUT_OPTIONS: Known<PutOptions> = {
  ...{ jid: true, priority: true, delay: true, at: true, retries: true, backoff: true },
  ...{ tags: true, depends: true, source: true, cutoff: true, unique: true, ...LIMITS },
  ...{ ifExists: true, createsOnly: true },
};

const UNIQUE: Known<Unique> = { key: true, until: true, for: true, conflict: true };
const BACKOFF: Known<Backoff> = { kind: true, base: true, cap: true, jitter: true };

const KINDS: readonly Backoff["kind"][] = ["fixed", "linear", "exponential"];

/** A backoff as the text that commands take. */
export function backoffText(backoff: Backoff | string): string {
  if (typeof backoff === "string") return backoff;
  checkKnown("of a backoff", backoff, BACKOFF);
  const { kind, base, cap, jitter } = backoff;
  // The engine's own error is about the text, which has seconds.
  if (!KINDS.includes(kind)) throw invalid(`backoff.kind must be one of ${KINDS.join(", ")}`);
  if (jitter !== undefined && !(jitter >= 0 && jitter <= 1)) {
    throw invalid(`backoff.jitter must be from 0 to 1, not ${jitter}`);
  }
  const words: (string | number)[] = [kind, seconds(base, "backoff.base")];
  if (cap !== undefined) words.push("cap", seconds(cap, "backoff.cap"));
  if (jitter !== undefined) words.push("jitter", jitter);
  return words.join(" ");
}

/** How long a put is to wait, in seconds. */
export function delayOf({ delay, at }: PutOptions): number {
  if (delay === undefined) return 0;
  if (at !== undefined) throw invalid("Use delay or at, not both");
  return seconds(delay, "delay");
}

/** Adds options to the words of a put, but for the unique key. */
export function addOptions(words: (string | number)[], options: PutOptions): void {
  const { at, tags, depends, backoff, cutoff } = options;
  say(words, "priority", options.priority);
  say(words, "retries", options.retries);
  say(words, "source", options.source);
  say(words, "tags", tags && JSON.stringify(tags));
  say(words, "depends", depends && JSON.stringify(depends));
  say(words, "backoff", backoff && backoffText(backoff));
  say(words, "cutoff", cutoff === undefined ? undefined : seconds(cutoff, "cutoff"));
  say(words, "at", at === undefined ? undefined : momentMs(at, "at") / 1000);
}

/** Adds how long a unique key is held, and what a second put does. */
export function addClaim(words: (string | number)[], unique: Unique): void {
  checkKnown("of unique", unique, UNIQUE);
  if (unique.until !== undefined && unique.for !== undefined) {
    throw invalid("Use unique.until or unique.for, not both");
  }
  say(words, "until", unique.until);
  say(words, "for", unique.for === undefined ? undefined : seconds(unique.for, "unique.for"));
  say(words, "conflict", unique.conflict);
}

function say(words: (string | number)[], name: string, value: string | number | undefined): void {
  if (value !== undefined) words.push(name, value);
}
