import { calendar } from "../../client/calendar.ts";
import { engineTime } from "../../client/engine-time.ts";
import { invalid } from "../../client/times.ts";
import { NoSuchJob } from "../../engine.ts";
import type { Desk } from "../desk.ts";
import { EXIT } from "../exit-codes.ts";
import { dateOf } from "../moments.ts";
import { plain } from "../plain.ts";
import { type Verb, YES } from "../verb.ts";
import { MOST, type RecurringJson, type ScheduleJson } from "./recur.ts";

/** Verbs about what recurs already. */

export const recurPause: Verb = {
  name: "recur pause",
  about: "Stop a recurring job or a schedule for a while, or let it go on.",
  words: [{ word: "<jid>", about: "its id" }],
  flags: [{ flag: "--off", about: "go on, with the next run from now" }],
  examples: ["qless recur pause report", "qless recur pause report --off"],
  at: "queues",
  async run(desk) {
    const [jid] = desk.words as [string];
    const isOff = desk.flags.is("off");
    const kind = await kindOf(desk, jid);
    await (isOff ? kind.unpause(jid) : kind.pause(jid));
    desk.out.show({ jid, paused: !isOff }, () => [
      plain(`${jid} ${isOff ? "goes on" : "is paused"}`),
    ]);
    return undefined;
  },
};

export const recurNext: Verb = {
  name: "recur next",
  about: "Tell when a cron expression, a schedule or a recurring job comes round next.",
  words: [{ word: "<what>", about: "a jid, or an expression such as '0 9 * * 1-5'" }],
  flags: [
    { flag: "--zone <zone>", about: "the IANA time zone of the expression (UTC)" },
    { flag: "--count <n>", about: "how many times (5)" },
  ],
  examples: ["qless recur next report", "qless recur next '0 9 * * 1-5' --zone Europe/Berlin"],
  at: "queues",
  async run(desk) {
    const count = desk.flags.whole("count") ?? 5;
    if (count < 1 || count > MOST) throw invalid(`--count must be from 1 to ${MOST}`);
    const [what] = desk.words as [string];
    const runs = await nextOf(desk, what, count);
    desk.out.show(
      runs.map((run) => run.getTime() / 1000),
      () => (runs.length === 0 ? [plain(`${what} is paused`)] : runs.map((one) => dateOf(one))),
    );
    return undefined;
  },
};

/** The next times; none of a recurring job that is paused, for they depend on when it goes on. */
async function nextOf(desk: Desk, what: string, count: number): Promise<Date[]> {
  const zone = desk.flags.text("zone") ?? "UTC";
  // An expression is the same everywhere: no queues are asked about it.
  if (what.trim().includes(" ")) return calendar(what, zone).nextRuns(count, new Date());
  const { schedules } = await desk.open();
  const now = await engineTime(await desk.calls());
  const schedule = await scheduleAt(desk, what);
  if (schedule !== undefined) return schedules.nextRuns(schedule.cron, count, schedule.zone, now);
  const one = await recurringAt(desk, what);
  if (one === undefined) throw nothingAs(what);
  const { next, interval } = one;
  if (next === undefined) return [];
  return Array.from(
    { length: count },
    (_, i) => new Date(Math.round((next + i * interval) * 1000)),
  );
}

const nothingAs = (jid: string) =>
  new NoSuchJob("NO_SUCH_SCHEDULE", `Nothing recurs as ${jid}: see qless recur list`);

/** The door to what recurs as this: jobs at an interval, or by the calendar. */
async function kindOf(desk: Desk, jid: string) {
  const { schedules, recurring } = await desk.open();
  if ((await recurringAt(desk, jid)) !== undefined) return recurring;
  if ((await scheduleAt(desk, jid)) === undefined) throw nothingAs(jid);
  return schedules;
}

async function recurringAt(desk: Desk, jid: string): Promise<RecurringJson | undefined> {
  return (await desk.calls()).json<RecurringJson | undefined>("recur.get", [jid]);
}

async function scheduleAt(desk: Desk, jid: string): Promise<ScheduleJson | undefined> {
  return (await desk.calls()).json<ScheduleJson | undefined>("cron.get", [jid]);
}

export const recurDrop: Verb = {
  name: "recur drop",
  about: "End a recurring job or a schedule; its children stay.",
  words: [{ word: "<jid>", about: "its id" }],
  flags: [YES],
  examples: ["qless recur drop report --yes"],
  at: "queues",
  async run(desk) {
    const [jid] = desk.words as [string];
    const kind = await kindOf(desk, jid);
    if (!(await desk.isSure(`End ${jid}?`))) return EXIT.DECLINED;
    await kind.remove(jid);
    desk.out.show({ jid }, () => [plain(`${jid} recurs no more`)]);
    return undefined;
  },
};
