import { calendar, following, ticksFor } from "./calendar.ts";
import type { CallLimits, Calls, Words } from "./calls.ts";
import { type Schedule, type ScheduleJson, scheduleFrom } from "./schedule.ts";
import { momentOf } from "./times.ts";

/** How many schedules one answer has at most, and how many answers one round asks for. */
const PAGE = 100;
const MAX_PAGES = 100;

/** What came of firing the schedules that were due. */
export interface Fired {
  /** The jids of the jobs that were put. */
  put: string[];
  next: Date | undefined;
  failure: unknown;
}

/**
 * Puts the jobs of all schedules that are due. Any number of processes may do so at once: each tick
 * is put once.
 */
export async function fireSchedules(calls: Calls, limits?: CallLimits): Promise<Fired> {
  const fired: Fired = { put: [], next: undefined, failure: undefined };
  for (let page = 0; page < MAX_PAGES; page++) {
    const { now, schedules, next } = await due(calls, limits);
    fired.next = next;
    const ends = await Promise.allSettled(
      schedules.map((schedule) => fire(calls, schedule, now, limits)),
    );
    let failures = 0;
    for (const end of ends) {
      if (end.status === "rejected") {
        failures += 1;
        fired.failure ??= end.reason;
      } else {
        fired.put.push(...end.value.put);
        fired.next = earlier(fired.next, end.value.next);
      }
    }
    // A full page may not be all.
    if (schedules.length < PAGE || failures === PAGE) break;
  }
  return fired;
}

/** The schedules that are due, the engine's time, by which they are due, and the tick after it. */
async function due(calls: Calls, limits?: CallLimits) {
  type Shape = { now: number; schedules: ScheduleJson[]; next?: number | null };
  const { now, schedules, next } = await calls.json<Shape>("cron.due", [], limits);
  return {
    now: new Date(Math.round(now * 1000)),
    schedules: schedules.map(scheduleFrom),
    next: momentOf(next),
  };
}

/** Puts what is wanted of the ticks that are due, and moves the schedule on to the next one. */
async function fire(
  calls: Calls,
  schedule: Schedule,
  now: Date,
  limits?: CallLimits,
): Promise<{ put: string[]; next: Date }> {
  const put: string[] = [];
  let from = schedule.next!;
  const step = async (to: Date, words: Words) => {
    const fire = [schedule.jid, inSeconds(from), inSeconds(to), ...words];
    const jid = (await calls.write("cron.fire", fire, limits)) as string;
    if (jid !== "") put.push(jid);
    from = to;
  };
  for (const { tick, next } of ticksFor(schedule, now)) {
    // What was missed and is not wanted is passed over in one step.
    if (tick > from) await step(tick, ["put", 0]);
    const delay = Math.round(Math.random() * schedule.jitterMs) / 1000;
    await step(next, delay > 0 ? ["delay", delay] : []);
  }
  if (from <= now) {
    const next = following(calendar(schedule.cron, schedule.zone), now);
    await step(next, ["put", 0]);
  }
  return { put, next: from };
}

const earlier = (one: Date | undefined, other: Date) =>
  one === undefined || other < one ? other : one;

const inSeconds = (moment: Date) => moment.getTime() / 1000;
