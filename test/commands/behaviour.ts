import { expect } from "vitest";
import type { Announcement, CommandName, Reply } from "../../src/engine.ts";
import { type Bench, optionWords, type PutOptions, refused } from "../engines.ts";

export type Words = (string | number)[];

const LISTED = ["waiting", "running", "stalled", "scheduled", "depends", "recurring"];

/** Everything that reading commands tell of a namespace: what a refusal may not change. */
export async function contents(bench: Bench): Promise<object> {
  const queues: { name: string }[] = await bench.json("queues");
  const jids = new Set((await bench.call("jobs", "complete", 0, -1)) as string[]);
  const lists: Record<string, unknown> = {};
  for (const { name } of queues) {
    lists[`stats ${name}`] = await bench.json("stats", name, bench.now);
    for (const state of LISTED) {
      const listed = (await bench.call("jobs", state, name, 0, -1)) as string[];
      lists[`${state} ${name}`] = listed;
      if (state !== "recurring") for (const jid of listed) jids.add(jid);
      else for (const jid of listed) lists[`recur ${jid}`] = await bench.json("recur.get", jid);
    }
  }
  const failed: Record<string, number> = await bench.json("failed");
  for (const group of Object.keys(failed)) {
    const { jobs } = await bench.json("failed", group, 0, 1000);
    lists[`failed ${group}`] = jobs;
    for (const jid of jobs) jids.add(jid);
  }
  const workers: { name: string }[] = await bench.json("workers");
  for (const { name } of workers) lists[`worker ${name}`] = await bench.json("workers", name);
  return {
    queues,
    lists,
    failed,
    workers,
    jobs: await bench.json("multiget", ...jids),
    tracked: await bench.json("track"),
    tags: await bench.json("tag", "top"),
    config: await bench.json("config.get"),
    schedules: await bench.json("cron.list", 0, 1000),
  };
}

/** Expects a refusal that leaves everything as it is. */
export async function refusedInVain(
  bench: Bench,
  [command, ...args]: [CommandName, ...Words],
  code: string,
  reason?: string | RegExp,
): Promise<void> {
  const before = await contents(bench);
  await refused(bench.call(command, ...args), code, reason);
  expect(await contents(bench)).toEqual(before);
}

/**
 * Makes a call under a request id and, a second later, again: the second time it gets the first
 * answer, and nothing is changed or announced.
 */
export async function resent(bench: Bench, command: CommandName, ...args: Words): Promise<Reply> {
  const first = await bench.request("request-1", command, ...args);
  bench.later(1);
  const before = await contents(bench);
  const heard = await bench.hearing(async () => {
    expect(await bench.request("request-1", command, ...args)).toEqual(first);
  });
  expect(heard).toEqual([]);
  expect(await contents(bench)).toEqual(before);
  return first;
}

/** What was announced, as `[channel, jid]` or `[channel, parsed message]`. */
export const told = (heard: Announcement[]): [string, unknown][] =>
  heard.map(({ channel, message }) => [
    channel,
    message.startsWith("{") ? JSON.parse(message) : message,
  ]);

export const STATES = [
  "waiting",
  "scheduled",
  "depends",
  "running",
  "stalled",
  "failed",
  "complete",
] as const;
export type State = (typeof STATES)[number];

export const statesBut = (...states: State[]) => STATES.filter((state) => !states.includes(state));

/** Puts the job into the empty queue and brings it into the state, by worker `w`; its lease, if any. */
export async function bring(
  bench: Bench,
  state: State,
  jid = "a",
  queue = "q",
  options: PutOptions = {},
): Promise<number> {
  if (state === "waiting") await bench.put(queue, jid, options);
  if (state === "scheduled") await bench.put(queue, jid, { delay: 100, ...options });
  if (state === "depends") {
    await bench.put("elsewhere", `before-${jid}`);
    await bench.put(queue, jid, { depends: [`before-${jid}`], ...options });
  }
  if (["waiting", "scheduled", "depends"].includes(state)) return 0;
  await bench.put(queue, jid, options);
  const [job] = await bench.pop(queue, "w");
  if (state === "stalled") await bench.call("timeout", jid);
  if (state === "failed") await bench.call("fail", jid, "w", "group", "message");
  if (state === "complete") await bench.call("complete", jid, "w", queue, "{}");
  expect((await bench.json("get", jid)).state).toBe(state);
  return job!.lease;
}

/** Puts jobs into the queue and pops them by worker `w`: their leases by jid. */
export async function running(bench: Bench, ...jids: string[]): Promise<Record<string, number>> {
  for (const jid of jids) await bench.put("q", jid);
  const jobs = await bench.pop("q", "w", jids.length);
  return Object.fromEntries(jobs.map(({ jid, lease }) => [jid, lease]));
}

/** One outcome of a finish as words. */
export function outcome(
  verb: string,
  jid: string,
  options: object = {},
  lease: Words[0] = "",
): Words {
  const words = optionWords(options);
  return [verb, jid, lease, words.length, ...words];
}

/** What a command takes by position, for the table of what it refuses. */
export type Taken = "name" | "name?" | "number" | "number?" | "count" | "anything" | "anything?";

const NOT_NUMBERS = ["x", "0x10", "nan", "inf", "1e999", " 1", "1 ", "+1", "1,5", "--1"];
const NOT_NAMES = ["x".repeat(256), "é".repeat(128), "a\nb", "a\tb", "a\u0000", "\u007f"];

/** A call that must be refused: what is wrong with it, its arguments, and the reason given. */
export type BadCall = [title: string, args: Words, reason: string | RegExp];

/** Expects each of the calls to be refused as a bad argument, and all to leave everything as it is. */
export async function refusesEach(
  bench: Bench,
  command: CommandName,
  calls: BadCall[],
): Promise<void> {
  const before = await contents(bench);
  const wrong: string[] = [];
  for (const [title, args, reason] of calls) {
    const call = refused(bench.call(command, ...args), "BAD_ARGUMENT", reason);
    await call.catch((error: Error) => wrong.push(`${title}: ${error.message}`));
  }
  expect(wrong.join("\n")).toBe("");
  expect(await contents(bench)).toEqual(before);
}

/**
 * Calls that lack an argument or have one that cannot be, each with its refusal: `good` is a call
 * that would do, and `takes` says what each of its words is.
 */
export function badCalls(good: Words, takes: [name: string, kind: Taken][]): BadCall[] {
  const rows: BadCall[] = [];
  takes.forEach(([name, kind], at) => {
    const instead = (word: string): Words => good.map((own, i) => (i === at ? word : own));
    if (!kind.endsWith("?")) rows.push([`no ${name}`, good.slice(0, at), `Arg "${name}" missing`]);
    if (kind.startsWith("name")) {
      const rule = `Arg "${name}" must be 1 to 255 bytes without control characters`;
      for (const word of NOT_NAMES) rows.push([`${name} ${shown(word)}`, instead(word), rule]);
      if (kind === "name") rows.push([`an empty ${name}`, instead(""), rule]);
    }
    if (kind.startsWith("number") || kind === "count") {
      for (const word of NOT_NUMBERS) {
        rows.push([`${name} ${shown(word)}`, instead(word), `Arg "${name}" not a number: ${word}`]);
      }
    }
    if (kind === "count") {
      rows.push([`${name} 1.5`, instead("1.5"), `Arg "${name}" not a whole number: 1.5`]);
      rows.push([`${name} -1`, instead("-1"), `Arg "${name}" must not be negative: -1`]);
    }
  });
  return rows;
}

const shown = (word: string) => (word.length > 20 ? `of ${word.length}` : JSON.stringify(word));
