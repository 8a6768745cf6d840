import { MAX_SECONDS } from "./limits.ts";
import { refuse } from "./refuse.ts";
import type { Store } from "./store.ts";

/**
 * How long a job rests before it is tried again, as data that anyone can read:
 * `fixed 30`, `linear 30 cap 600`, `exponential 5 cap 3600 jitter 0.2`; times in seconds. The core
 * draws no lots: whoever retries supplies the number from 0 to 1 that the jitter is taken from.
 */
export interface Backoff {
  kind: string;
  seconds: number;
  cap: number;
  jitter: number;
}

/** Reads a backoff; undefined when it is none. */
export function readBackoff(store: Store, text: string): Backoff | undefined {
  const words = store.text.words(text);
  const kind = words[0] ?? "";
  if (kind !== "fixed" && kind !== "linear" && kind !== "exponential") return undefined;
  const backoff = { kind, seconds: -1, cap: MAX_SECONDS, jitter: 0 };
  if (words.length % 2 !== 0 || words.length > 6) return undefined;
  for (let i = 0; i < words.length; i += 2) {
    const value = store.text.number(words[i + 1]!);
    if (value === undefined || value < 0 || value > MAX_SECONDS) return undefined;
    const word = words[i]!;
    if (i === 0) backoff.seconds = value;
    else if (word === "cap") backoff.cap = value;
    else if (word === "jitter" && value <= 1) backoff.jitter = value;
    else return undefined;
  }
  return backoff;
}

/** Refuses a backoff that is none. */
export function judgeBackoff(store: Store, text: string | undefined): void {
  if (text === undefined || readBackoff(store, text) !== undefined) return;
  refuse("BAD_ARGUMENT", `Arg "backoff" must be ${BACKOFF_RULE}`);
}

export const BACKOFF_RULE =
  '"fixed 30", "linear 30 cap 600" or "exponential 5 cap 3600 jitter 0.2", in seconds';

/** The rest before the `attempt`-th retry, in milliseconds; `lot` is from 0 to 1. */
export function backoffMs(backoff: Backoff, attempt: number, lot: number): number {
  let seconds = backoff.seconds;
  if (backoff.kind === "linear") seconds *= Math.max(1, attempt);
  if (backoff.kind === "exponential") {
    for (let i = 1; i < attempt && seconds < backoff.cap; i++) seconds *= 2;
  }
  seconds = Math.min(seconds, backoff.cap) * (1 + backoff.jitter * (2 * lot - 1));
  return Math.floor(Math.min(seconds, backoff.cap) * 1000 + 0.5);
}
