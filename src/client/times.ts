import { Invalid } from "../engine.ts";

/**
 * A length of time: milliseconds as a number, or a text such as `"30s"`, `"1.5h"` or `"1h 30m"`,
 * of ms, s, m, h, d and w.
 */
export type Duration = number | string;

/** A moment: a `Date`, milliseconds since 1970 as a number, or a text in the form of ISO 8601. */
export type Moment = Date | number | string;

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const PART = /(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)(?![a-z])\s*/gy;

/** A length of time in milliseconds; `name` is what an error calls it. */
export function milliseconds(duration: Duration, name: string): number {
  const ms = typeof duration === "string" ? partsOf(duration) : duration;
  // What JavaScript gives may be neither.
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const given = typeof duration === "string" ? JSON.stringify(duration) : String(duration);
  throw invalid(`${name} must be milliseconds or a text such as "30s" or "1h 30m", not ${given}`);
}

function partsOf(text: string): number {
  const parts = [...text.trim().matchAll(PART)];
  const read = parts.reduce((sum, [part]) => sum + part.length, 0);
  if (parts.length === 0 || read !== text.trim().length) return Number.NaN;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0);
}

/** The longest length that commands take, in milliseconds and as a text. */
const LONGEST_MS = 1e12;
const LONGEST = "11574d";

/** A length of time in seconds, as commands take it. An error names the limit in the given unit. */
export function seconds(duration: Duration, name: string): number {
  const ms = milliseconds(duration, name);
  if (ms <= LONGEST_MS) return ms / 1000;
  const isText = typeof duration === "string";
  const most = isText ? JSON.stringify(LONGEST) : `${LONGEST_MS} ms`;
  throw invalid(`${name} must be at most ${most}, not ${isText ? JSON.stringify(duration) : ms}`);
}

/** From here on there are no moments that commands take. */
const END = "2109-05-15";
const END_MS = Date.parse(END);

/**
 * A moment as milliseconds since 1970; `name` is what an error calls it. Errors about a text have no
 * unit: HTTP and the command line, which take seconds or none, pass texts on as they are.
 */
export function momentMs(moment: Moment, name: string): number {
  const ms = moment instanceof Date ? moment.getTime() : dateMs(moment, name);
  if (ms >= END_MS) throw invalid(`${name} must be before ${END}`);
  if (ms >= 0) return ms;
  if (typeof moment === "string") {
    const given = JSON.stringify(moment);
    const wanted = "a date and time from 1970 on, such as 2031-01-31T06:00:00Z";
    throw invalid(`${name} must be ${wanted}, not ${given}`);
  }
  throw invalid(`${name} must be a Date, milliseconds since 1970 or an ISO 8601 date and time`);
}

function dateMs(moment: number | string, name: string): number {
  if (typeof moment === "number") return moment;
  const [day] = /^\d{4}-\d\d-\d\d/.exec(moment.trim()) ?? [];
  // JavaScript takes 2030-02-31 for 3 March.
  if (day !== undefined && !isDay(day)) throw invalid(`${name}: the date ${day} does not exist`);
  return Date.parse(moment);
}

function isDay(day: string): boolean {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

/** The moment that seconds since 1970 are; undefined for none. */
export function momentOf(given: number | null | undefined): Date | undefined {
  return given === null || given === undefined || given === 0
    ? undefined
    : new Date(Math.round(given * 1000));
}

export function invalid(reason: string): Invalid {
  return new Invalid("BAD_ARGUMENT", reason);
}
