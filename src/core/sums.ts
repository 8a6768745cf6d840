import { numberOr } from "./job.ts";
import { add } from "./pairs.ts";
import type { Pairs, Store } from "./store.ts";

/** Times in milliseconds, each followed by how often it comes in a row, and how many they are. */
export interface Times {
  list: number[];
  count: number;
}

/** What changes in a day's statistics when some times are added to them, as it is written. */
export function sumsOf(store: Store, key: string, { list, count }: Times): Pairs {
  if (count === 0) return [];
  const { text } = store;
  const fields = store.fields(key, SUMS);
  const base = numberOr(store, fields[3]!, list[0]!);
  let sum = numberOr(store, fields[1]!, 0);
  let squares = numberOr(store, fields[2]!, 0);
  const bins: string[] = [];
  const counts: { [bin: string]: number } = {};
  // Times that are noted together are often in one bin.
  let [name, from, to] = binOf(store, list[0]!);
  let within = 0;
  const length = list.length;
  for (let i = 0; i < length; i += 2) {
    const time = list[i]!;
    const times = list[i + 1]!;
    const off = time - base;
    sum += off * times;
    squares += off * off * times;
    if (time < from || time >= to) {
      countIn(bins, counts, name, within);
      [name, from, to] = binOf(store, time);
      within = 0;
    }
    within += times;
  }
  countIn(bins, counts, name, within);
  const total = numberOr(store, fields[0]!, 0) + count;
  const pairs: Pairs = ["total", text.integer(total), "sum", text.integer(sum)];
  add(pairs, "base", text.integer(base));
  add(pairs, "squares", squares < MAX_WHOLE ? text.integer(squares) : text.exact(squares));
  const known = store.fields(key, bins);
  for (let i = 0; i < bins.length; i++) {
    add(pairs, bins[i]!, text.integer(numberOr(store, known[i]!, 0) + counts[bins[i]!]!));
  }
  return pairs;
}

function countIn(
  bins: string[],
  counts: { [bin: string]: number },
  bin: string,
  within: number,
): void {
  const before = counts[bin] ?? 0;
  if (before === 0) bins.push(bin);
  counts[bin] = before + within;
}

const SUMS = ["total", "sum", "squares", "base"];

/** Beyond this a number has no last digit any more. */
const MAX_WHOLE = 9007199254740992;

/** A bin, the milliseconds at which it begins, and those at which the next one does. */
type Bin = [name: string, from: number, to: number];

function binOf(store: Store, ms: number): Bin {
  if (ms < 60000) return binOfUnit(store, "s", 1000, ms);
  if (ms < 3600000) return binOfUnit(store, "m", 60000, ms);
  if (ms < 86400000) return binOfUnit(store, "h", 3600000, ms);
  if (ms < 518400000) return binOfUnit(store, "d", 86400000, ms);
  return ["d6", 518400000, MAX_WHOLE];
}

function binOfUnit(store: Store, unit: string, length: number, ms: number): Bin {
  const number = Math.floor(ms / length);
  return [unit + store.text.integer(number), number * length, (number + 1) * length];
}
