import { judgeBackoff } from "./backoff.ts";
import type { PutOptions } from "./describing.ts";
import { MAX_CONTEXT } from "./limits.ts";
import { refuse } from "./refuse.ts";
import type { Store } from "./store.ts";
import { includes } from "./tags.ts";
import { UNTIL } from "./uniques.ts";

/** Refuses options of a put that make no sense, whatever job they are about. */
export function judgeOptions(store: Store, delay: number, options: PutOptions): void {
  const { backoff, at, exists } = options;
  judgeBackoff(store, backoff);
  if (at !== undefined && delay !== 0) {
    refuse("BAD_ARGUMENT", '"at" cannot be used with a delay: give 0 as the delay');
  }
  if (exists !== undefined && !includes(EXISTS, exists)) {
    refuse("BAD_ARGUMENT", 'Arg "exists" must be keep, replace or refuse');
  }
  judgeUnique(options);
  if (options.context !== undefined) judgeContext(store, options.context);
}

const EXISTS = ["keep", "replace", "refuse"];
const CONFLICTS = ["keep", "replace", "data", "time"];

function judgeUnique(options: PutOptions): void {
  const { unique, until, conflict } = options;
  const time = options.for;
  if (unique === undefined) {
    if (until !== undefined) withoutKey("until");
    if (time !== undefined) withoutKey("for");
    if (conflict !== undefined) withoutKey("conflict");
  }
  if (until !== undefined && time !== undefined) {
    refuse("BAD_ARGUMENT", '"until" cannot be used with "for": give one of them');
  }
  if (until !== undefined && !includes(UNTIL, until)) {
    refuse("BAD_ARGUMENT", 'Arg "until" must be start, complete or failed');
  }
  if (time !== undefined && time <= 0) {
    refuse("BAD_ARGUMENT", 'Arg "for" must be greater than 0');
  }
  if (conflict !== undefined && !includes(CONFLICTS, conflict)) {
    refuse("BAD_ARGUMENT", 'Arg "conflict" must be keep, replace, data or time');
  }
}

function withoutKey(option: string): never {
  return refuse("BAD_ARGUMENT", `"${option}" cannot be used without a "unique".`);
}

function judgeContext(store: Store, context: string): void {
  if (store.text.bytes(context) > MAX_CONTEXT) {
    refuse("BAD_ARGUMENT", `Arg "context" is longer than ${MAX_CONTEXT} bytes`);
  }
  if (store.text.members(context) === undefined) {
    refuse("BAD_ARGUMENT", 'Arg "context" not a JSON object');
  }
}
