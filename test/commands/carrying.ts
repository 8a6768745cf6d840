import type { Bench } from "../engines.ts";
import { bring } from "./behaviour.ts";

/** What dump tells of one key, fields and members in order; scores as numbers are written shortest. */
export type Told = [key: string, shape: string, pairs: [string, string][]];

interface Entry {
  key: string;
  record?: string[];
  ranking?: string[];
}

/** Every entry of a dump, as it comes. */
export async function entriesOf(bench: Bench): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor = "0";
  do {
    const slice = await bench.json("dump", cursor);
    entries.push(...slice.entries);
    cursor = slice.cursor;
  } while (cursor !== "0");
  return entries;
}

/** All that dump tells, whatever the order and the slices in which it comes. */
export async function dumped(bench: Bench): Promise<Told[]> {
  const all = new Map<string, Told>();
  for (const { key, record, ranking } of await entriesOf(bench)) {
    const shape = record === undefined ? "ranking" : "record";
    const told = all.get(key) ?? [key, shape, []];
    const flat = record ?? ranking!;
    for (let i = 0; i < flat.length; i += 2) {
      const value = ranking === undefined ? flat[i + 1]! : scoreText(flat[i + 1]!);
      told[2].push([flat[i]!, value]);
    }
    all.set(key, told);
  }
  for (const [, , pairs] of all.values()) pairs.sort(byFirst);
  return [...all.values()].sort(byFirst);
}

const byFirst = ([a]: readonly [string, ...unknown[]], [b]: readonly [string, ...unknown[]]) =>
  a < b ? -1 : 1;
const scoreText = (score: string) => (/inf/.test(score) ? score : String(Number(score)));

/** The words of restore for an entry. */
export function wordsOf({ key, record, ranking }: Entry): string[] {
  const flat = record ?? ranking!;
  return [key, record === undefined ? "ranking" : "record", String(flat.length), ...flat];
}

/** Each in a queue of its own, so that a pop meets none but the one it is for. */
const STATES = [
  "waiting",
  "scheduled",
  "depends",
  "running",
  "stalled",
  "failed",
  "complete",
] as const;

/** Brings a job into each state, and something of everything else. */
export async function fill(bench: Bench): Promise<void> {
  for (const state of STATES) {
    await bring(bench, state, state, `q-${state}`);
  }
  await bench.put("q", "more", { tags: ["x", "é"], priority: -1.5, source: "s", unique: "key" });
  await bench.call("track", "track", "more");
  await bench.call("log", "more", "said", '{"n":1}');
  await bench.call("recur", "q", "r", "k", "{}", "interval", 60, 5);
  await bench.call("recur", "q", "resting", "k", "{}", "interval", 60, 5);
  await bench.call("recur.pause", "resting");
  await bench.call("cron.put", "c", "q", "k", "{}", "* * * * *", "UTC", bench.now + 60);
  await bench.call("queue.pause", "p", "reason", "why");
  await bench.call("config.set", "q-max-concurrency", 5);
}
