/** Numbers and times as people read them. */

const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** 12,345 in full up to a hundred thousand, then 1.2M. */
export const count = (n: number) => (Math.abs(n) < 100_000 ? whole.format(n) : short.format(n));
export const exact = (n: number) => whole.format(n);

export const plural = (n: number, one: string, many = `${one}s`) =>
  `${exact(n)} ${n === 1 ? one : many}`;

/** A number a second, a minute or an hour, whichever makes it readable. */
export function rate(perSecond: number | undefined): string {
  if (perSecond === undefined) return "–";
  if (perSecond === 0) return "0";
  if (perSecond >= 1) return `${figure(perSecond)}/s`;
  if (perSecond * 60 >= 1) return `${figure(perSecond * 60)}/min`;
  return `${figure(perSecond * 3600)}/h`;
}

const figure = (n: number) => (n < 10 ? n.toFixed(1).replace(/\.0$/, "") : count(Math.round(n)));

const UNITS: readonly [seconds: number, name: string][] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "m"],
  [1, "s"],
];

/** A length of time: `340 ms`, `4.2 s`, `3m 20s`, `5h 2m`, `3d 4h`. */
export function length(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 1) return `${Math.round(size * 1000)} ms`;
  if (size < 10) return `${size.toFixed(1).replace(/\.0$/, "")} s`;
  if (size < 60) return `${Math.round(size)} s`;
  const at = UNITS.findIndex(([unit]) => size >= unit);
  const [unit, name] = UNITS[at]!;
  const [smaller, smallerName] = UNITS[at + 1]!;
  const big = Math.floor(size / unit);
  const rest = Math.floor((size - big * unit) / smaller);
  return rest === 0 ? `${big}${name}` : `${big}${name} ${rest}${smallerName}`;
}

/** Nobody counts the seconds of what was ten minutes ago. */
const coarse = (seconds: number) => length(seconds < 600 ? seconds : Math.floor(seconds / 60) * 60);

/** `3m 20s ago`, `in 4 s`, `now`. */
export function relative(moment: number, now: number): string {
  const gone = now - moment;
  if (Math.abs(gone) < 1) return "now";
  const shown = Math.abs(gone) < 60 ? `${Math.round(Math.abs(gone))} s` : coarse(Math.abs(gone));
  return gone > 0 ? `${shown} ago` : `in ${shown}`;
}

const exactFormat = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

/** The moment by the clock of whoever looks, with milliseconds, and by UTC. */
export function fullTime(moment: number): string {
  const date = new Date(moment * 1000);
  if (Number.isNaN(date.getTime())) return "no time";
  const ms = String(date.getMilliseconds()).padStart(3, "0");
  const local = exactFormat.format(date).replace(/(:\d\d)(?= [^:]*$)/, `$1.${ms}`);
  return `${local}, ${date.toISOString()}`;
}

const clockFormat = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const dayFormat = new Intl.DateTimeFormat("en-GB", { month: "short", day: "numeric" });

export const clockTime = (moment: number) => clockFormat.format(new Date(moment * 1000));
export const dayName = (moment: number) => dayFormat.format(new Date(moment * 1000));

/** `30s`, `2h`, `1h 30m`, `7d` as seconds; undefined if it is none. */
export function lengthFrom(text: string): number | undefined {
  const pattern = /(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)/gy;
  const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };
  const trimmed = text.trim();
  let seconds = 0;
  let at = 0;
  while (at < trimmed.length) {
    pattern.lastIndex = at;
    const found = pattern.exec(trimmed);
    if (found === null) return undefined;
    seconds += Number(found[1]) * units[found[2]!]!;
    at = pattern.lastIndex;
    while (trimmed[at] === " ") at += 1;
  }
  return trimmed === "" ? undefined : seconds;
}
