import { expect } from "vitest";
import type { CommandName } from "../src/engine.ts";
import { type Bench, refused } from "./engines.ts";

const LISTED = ["waiting", "running", "stalled", "scheduled", "depends", "recurring"];

/** Everything that the reading commands tell of a namespace, to compare before and after. */
export async function told(bench: Bench): Promise<object> {
  const queues: { name: string }[] = await bench.json("queues");
  const lists: Record<string, string[]> = { complete: await jids(bench, "complete") };
  const stats: Record<string, unknown> = {};
  for (const { name } of queues) {
    for (const state of LISTED) lists[`${name} ${state}`] = await jids(bench, state, name);
    stats[name] = await bench.json("stats", name, bench.now);
  }
  const groups: Record<string, number> = await bench.json("failed");
  for (const group of Object.keys(groups)) {
    lists[`failed ${group}`] = (await bench.json("failed", group, 0, 10_000)).jobs;
  }
  const all = [...new Set(Object.values(lists).flat())];
  return {
    queues,
    lists,
    stats,
    groups,
    jobs: await bench.json("multiget", ...all),
    recurring: await Promise.all(all.map((jid) => bench.json("recur.get", jid))),
    tracked: await bench.json("track"),
    tags: await bench.json("tag", "top"),
    workers: await bench.json("workers"),
    config: await bench.json("config.get"),
    schedules: await bench.json("cron.list", 0, 1000),
  };
}

const jids = async (bench: Bench, ...args: string[]) => {
  return (await bench.call("jobs", ...args, 0, -1)) as string[];
};

/** Expects that what is done leaves everything as it was. */
export async function unchanged(bench: Bench, work: () => Promise<unknown>): Promise<void> {
  const before = await told(bench);
  await work();
  expect(await told(bench)).toEqual(before);
}

/** Arguments, and what the refusal says. */
export type Bad = readonly [args: readonly (string | number)[], reason: string | RegExp];

/** Expects each call to be refused as a bad argument, with everything as it was. */
export async function refusesEach(bench: Bench, command: CommandName, rows: Bad[]): Promise<void> {
  const before = await told(bench);
  for (const [args, reason] of rows) {
    const words = JSON.stringify([command, ...args]).slice(0, 200);
    await refused(bench.call(command, ...args), "BAD_ARGUMENT", reason).catch((error: Error) => {
      error.message = `${words}: ${error.message}`;
      throw error;
    });
    expect(await told(bench), `after ${words}`).toEqual(before);
  }
}

export const LONG = "x".repeat(256);

/** The refusal of what cannot be a name. */
export const badName = (name: string) =>
  `Arg "${name}" must be 1 to 255 bytes without control characters`;

export const missing = (name: string) => `Arg "${name}" missing`;

/** What was announced while the work was done: the channel, and the message with JSON read. */
export async function heard(
  bench: Bench,
  work: () => Promise<unknown>,
): Promise<[channel: string, message: unknown][]> {
  const announcements = await bench.hearing(async () => {
    await work();
  });
  return announcements.map(({ channel, message }) => [
    channel,
    message.startsWith("{") ? JSON.parse(message) : message,
  ]);
}
