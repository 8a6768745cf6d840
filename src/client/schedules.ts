import { calendar, comesRound, following } from "./calendar.ts";
import { type CallLimits, LIMITS } from "./calls.ts";
import { engineTime } from "./engine-time.ts";
import { type Fired, fireSchedules } from "./firing.ts";
import { checkKnown, type Known } from "./known.ts";
import type { Parts } from "./parts.ts";
import { type Backoff, backoffText } from "./put-options.ts";
import { jsonOf } from "./putting.ts";
import { type AnyJobs, checkedData, type Input, type Klass, type Registry } from "./registry.ts";
import { type Schedule, type ScheduleJson, scheduleFrom } from "./schedule.ts";
import { type Duration, invalid, type Moment, momentMs, seconds } from "./times.ts";

/** When a job is put by the calendar, and what to do about runs that overlap or were missed. */
export interface ScheduleOptions extends CallLimits {
  /** A cron expression of five fields, or of six with seconds: `"0 9 * * 1-5"`. */
  cron: string;
  /** The IANA time zone that it is read in; default `UTC`. */
  zone?: string;
  /** Where children are put; default: the queue named after the klass. */
  queue?: string;
  /** While the last child has not ended: put the next all the same (default), or leave it out. */
  overlap?: "allow" | "skip";
  /** Of runs that were missed: none, the latest (default), or all of them up to `backlog`. */
  missed?: "skip" | "one" | "all";
  /** How many missed runs are made up for at most; default 100. */
  backlog?: number;
  /** Up to how long a child is held back, by chance, so that not all start at once. */
  jitter?: Duration;
  priority?: number;
  tags?: readonly string[];
  retries?: number;
  source?: string;
  backoff?: Backoff | string;
}

const BACKLOG = 100;

const KNOWN: Known<ScheduleOptions> = {
  ...{ cron: true, zone: true, queue: true, overlap: true, missed: true, backlog: true },
  ...{ jitter: true, priority: true, tags: true, retries: true, source: true, backoff: true },
  ...LIMITS,
};

/** Jobs by the calendar. Any number of processes may fire them: each tick is put once. */
export class Schedules<Jobs extends Registry = AnyJobs> {
  readonly #parts: Parts;

  /** @internal */
  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Defines a schedule. Saying the same again changes nothing, so every start of a program may. */
  async set<K extends Klass<Jobs>>(
    jid: string,
    klass: K,
    data: Input<Jobs, K>,
    options: ScheduleOptions,
  ): Promise<void> {
    checkKnown("of a schedule", options, KNOWN);
    const { calls, jobs } = this.#parts;
    await checkedData(jobs, klass, data);
    const { cron, zone = "UTC", queue = klass, missed = "one", backlog = BACKLOG } = options;
    const { signal, timeout } = options;
    const limits = { signal, timeout };
    const now = await engineTime(calls, limits);
    const clock = calendar(cron, zone);
    if (!comesRound(clock, now)) throw invalid(`Cron ${JSON.stringify(cron)} never comes round`);
    const next = following(clock, now);
    const words: (string | number)[] = [queue, klass, jsonOf(klass, data), cron, zone];
    words.push(inSeconds(next), "missed", missed, "backlog", backlog);
    await calls.write("cron.put", [jid, ...words, ...childWords(options)], limits);
  }

  async get(jid: string, limits?: CallLimits): Promise<Schedule | undefined> {
    type Shape = ScheduleJson | undefined;
    const json = await this.#parts.calls.json<Shape>("cron.get", [jid], limits);
    return json && scheduleFrom(json);
  }

  /** The schedules, page by page, the first put first; paused ones are among them. */
  async list(
    { offset = 0, count = 100 }: { offset?: number; count?: number } = {},
    limits?: CallLimits,
  ): Promise<Schedule[]> {
    const words = [offset, count];
    const all = await this.#parts.calls.json<ScheduleJson[]>("cron.list", words, limits);
    return all.map(scheduleFrom);
  }

  /** When a cron expression comes round next. */
  nextRuns(cron: string, count = 5, zone = "UTC", after: Moment = Date.now()): Date[] {
    return calendar(cron, zone).nextRuns(count, new Date(momentMs(after, "after")));
  }

  /** Ends the schedule; its children stay. Tells whether there was one. */
  async remove(jid: string, limits?: CallLimits): Promise<boolean> {
    return (await this.#parts.calls.write("cron.drop", [jid], limits)) === 1;
  }

  async pause(jid: string, limits?: CallLimits): Promise<void> {
    await this.#parts.calls.write("cron.pause", [jid], limits);
  }

  /** Goes on with the next tick from now. */
  async unpause(jid: string, limits?: CallLimits): Promise<void> {
    const schedule = await this.get(jid, limits);
    const words: (string | number)[] = [jid];
    if (schedule !== undefined) {
      const now = await engineTime(this.#parts.calls, limits);
      const next = following(calendar(schedule.cron, schedule.zone), now);
      words.push("next", inSeconds(next));
    }
    await this.#parts.calls.write("cron.unpause", words, limits);
  }

  /**
   * Puts the jobs whose time has come, and tells their jids. Workers and servers do so by
   * themselves; without one, call it every now and then.
   */
  async fireDue(limits?: CallLimits): Promise<string[]> {
    const { put, failure } = await this.fire(limits);
    if (failure !== undefined) throw failure;
    return put;
  }

  /**
   * As `fireDue`. Also returns when the next tick is, and why a schedule could not be fired: the
   * others are fired all the same.
   * @internal
   */
  fire(limits?: CallLimits): Promise<Fired> {
    return fireSchedules(this.#parts.calls, limits);
  }
}

const inSeconds = (moment: Date) => moment.getTime() / 1000;

function childWords(options: ScheduleOptions): (string | number)[] {
  const { overlap, jitter, priority, tags, retries, source, backoff } = options;
  const words: (string | number)[] = [];
  const say = (name: string, value: string | number | undefined) => {
    if (value !== undefined) words.push(name, value);
  };
  say("overlap", overlap);
  say("jitter", jitter === undefined ? undefined : seconds(jitter, "jitter"));
  say("priority", priority);
  say("tags", tags && JSON.stringify(tags));
  say("retries", retries);
  say("source", source);
  say("backoff", backoff && backoffText(backoff));
  return words;
}
