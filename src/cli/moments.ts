/** Times as people read them. */

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
];

/** A length of time by its two largest units: `3d 4h`, `1.5s`, `12ms`. */
export function lengthOf(ms: number): string {
  if (!Number.isFinite(ms)) return "";
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${Math.round(ms / 100) / 10}s`;
  const first = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[first]!;
  const whole = Math.floor(ms / size);
  const next = UNITS[first + 1];
  const rest = next === undefined ? 0 : Math.floor((ms % size) / next[1]);
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit} ${rest}${next![0]}`;
}

/** A moment by how far away it is: `3m ago`, `in 2h`. */
export function whenOf(moment: Date | undefined, now = Date.now()): string {
  if (moment === undefined) return "";
  const ms = moment.getTime() - now;
  return ms > 0 ? `in ${lengthOf(ms)}` : `${lengthOf(-ms)} ago`;
}

/** What a table keeps of a date on a terminal: `2031-01-31 06:00:00Z`, a blank, and the mark of a cut. */
export const DATE_LEAST = 22;

/** A moment by the calendar, and how far away it is; on a terminal to the second. */
export function dateOf(moment: Date | undefined, isShort = process.stdout.isTTY === true): string {
  if (moment === undefined) return "";
  const exact = moment.toISOString();
  const date = isShort ? exact.replace("T", " ").replace(/\.\d+Z$/, "Z") : exact;
  return `${date} (${whenOf(moment)})`;
}

/** The moment that seconds since 1970 are. */
export const secondsOf = (seconds: number | null | undefined) =>
  seconds === null || seconds === undefined || seconds === 0
    ? undefined
    : new Date(Math.round(seconds * 1000));
