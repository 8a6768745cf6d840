import type { Kind } from "./command.ts";
import { MAX_COUNT, MAX_PRIORITY, MAX_SECONDS, MAX_TIME_MS } from "./limits.ts";
import { refuse } from "./refuse.ts";
import { shown } from "./shown.ts";
import type { Store } from "./store.ts";

/** The number that an argument of this kind is, or a refusal. */
export function readNumber(store: Store, name: string, kind: Kind, text: string): number {
  // What nearly every put says of its delay.
  if (text === "0") return 0;
  const value = store.text.number(text);
  if (value === undefined) {
    return refuse("BAD_ARGUMENT", `Arg "${name}" not a number: ${shown(store, text)}`);
  }
  if (kind === "integer" || kind === "whole" || kind === "count")
    return readInteger(store, name, kind, value);
  if (kind === "seconds") return toMs(within(store, name, value, MAX_SECONDS));
  if (kind === "time") return checkedTime(name, value);
  if (kind === "flag") return readFlag(name, value);
  if (kind === "fraction") return readFraction(name, value);
  // A ten-thousandth of a priority is as fine as fourteen digits can tell at a billion.
  return Math.floor(within(store, name, value, MAX_PRIORITY) * 10000 + 0.5) / 10000;
}

/** An offset or a count that may be left out; a count of -1 asks for all there may be. */
export function readCount(
  store: Store,
  name: string,
  text: string | undefined,
  fallback: number,
): number {
  if (text === undefined || text === "") return fallback;
  if (text === "-1" && name === "count") return MAX_COUNT;
  return readNumber(store, name, name === "count" ? "count" : "whole", text);
}

function readFraction(name: string, value: number): number {
  if (value < 0 || value > 1) refuse("BAD_ARGUMENT", `Arg "${name}" must be from 0 to 1`);
  return value;
}

function readFlag(name: string, value: number): number {
  return value === 0 || value === 1
    ? value
    : refuse("BAD_ARGUMENT", `Arg "${name}" must be 0 or 1`);
}

function readInteger(store: Store, name: string, kind: Kind, value: number): number {
  if (Math.floor(value) !== value) {
    refuse("BAD_ARGUMENT", `Arg "${name}" not a whole number: ${store.text.decimal(value)}`);
  }
  if (kind !== "integer" && value < 0) {
    refuse("BAD_ARGUMENT", `Arg "${name}" must not be negative: ${store.text.decimal(value)}`);
  }
  // Who asks for more than there may be gets as many as there may be.
  if (kind === "count") return Math.min(value, MAX_COUNT);
  return within(store, name, value, MAX_SECONDS * 10000);
}

function within(store: Store, name: string, value: number, most: number): number {
  if (value > most || value < -most) {
    const range = `${store.text.decimal(-most)} to ${store.text.decimal(most)}`;
    refuse("BAD_ARGUMENT", `Arg "${name}" must be from ${range}`);
  }
  return value;
}

/** A moment given in seconds as milliseconds, if it is one that places can be made of. */
export function checkedTime(name: string, seconds: number): number {
  // Rounded down, for history shows whole seconds; the thousandth is for 0.123 * 1000.
  const ms = Math.floor(seconds * 1000 + 0.001);
  if (ms < 0 || ms > MAX_TIME_MS) {
    refuse("BAD_ARGUMENT", `Arg "${name}" must be from 0 to ${Math.floor(MAX_TIME_MS / 1000)}`);
  }
  return ms;
}

const toMs = (seconds: number) => Math.floor(seconds * 1000 + 0.5);
