import { Cron } from "croner";
import { invalid } from "./times.ts";

/** What matters of a schedule that is due. */
export interface Due {
  cron: string;
  zone: string;
  missed: "skip" | "one" | "all";
  backlog: number;
  next: Date | undefined;
}

/** How late a tick may be fired and still count as on time, for those who skip what was missed. */
const ON_TIME_MS = 60_000;
const MAX_ON_TIME = 60;

/** Where a schedule waits that comes round no more: the latest time there is. */
const NEVER = new Date(4_398_046_511_103);

/** The ticks to be put now, oldest first, each with the one after it. */
export function ticksFor(schedule: Due, now: Date): { tick: Date; next: Date }[] {
  const { missed, backlog } = schedule;
  const clock = calendar(schedule.cron, schedule.zone);
  const wanted = { one: 1, skip: MAX_ON_TIME, all: backlog }[missed];
  const ticks = clock
    .previousRuns(wanted, new Date(now.getTime() + 1000))
    .filter((tick) => tick <= now && tick >= schedule.next!)
    .sort((a, b) => a.getTime() - b.getTime());
  const kept =
    missed === "skip" ? ticks.filter((tick) => now.getTime() - +tick < ON_TIME_MS) : ticks;
  return kept.map((tick) => ({ tick, next: following(clock, tick) }));
}

/** The first tick after a moment. */
export function following(clock: Cron, after: Date): Date {
  return clock.nextRun(after) ?? NEVER;
}

/** Whether there is a tick after a moment. */
export const comesRound = (clock: Cron, after: Date) => clock.nextRun(after) !== null;

/** A cron expression that can be asked for its runs, or a clear refusal. */
export function calendar(cron: string, zone: string): Cron {
  try {
    // An unknown zone would only show when the expression is asked for its runs.
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return new Cron(cron, { timezone: zone, paused: true });
  } catch (error) {
    const what = `Cron ${JSON.stringify(cron)} in zone ${JSON.stringify(zone)}`;
    throw invalid(`${what} cannot be read: ${(error as Error).message}`);
  }
}
