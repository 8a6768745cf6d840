import { engineTime } from "../../client/engine-time.ts";
import { invalid } from "../../client/times.ts";
import { NoSuchJob, Refused } from "../../engine.ts";
import type { Desk } from "../desk.ts";
import { EXIT } from "../exit-codes.ts";
import { dateOf } from "../moments.ts";
import { plain } from "../plain.ts";
import { type Verb, YES } from "../verb.ts";
import { MOST, type RecurringJson, type ScheduleJson } from "./recur.ts";

/** Verbs about what recurs already. */

export const recurPause: Verb = {
  name: "recur pause",
  about: "Stop a cron schedule for a while, or let it go on.",
  words: [{ word: "<jid>", about: "the schedule" }],
  flags: [{ flag: "--off", about: "go on, with the next run from now" }],
  examples: ["qless recur pause report", "qless recur pause report --off"],
  at: "queues",
  async run(desk) {
    const [jid] = desk.words as [string];
    const { schedules } = await desk.open();
    const isOff = desk.flags.is("off");
    try {
      await (isOff ? schedules.unpause(jid) : schedules.pause(jid));
    } catch (error) {
      if (!(error instanceof NoSuchJob) || (await recurringAt(desk, jid)) === undefined)
        throw error;
      const fix = "pause its queue, or remove it with qless recur drop";
      throw new Refused(
        "NO_SUCH_SCHEDULE",
        `${jid} recurs at an interval and has no pause: ${fix}`,
      );
    }
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
  at: "place",
  async run(desk) {
    const count = desk.flags.whole("count") ?? 5;
    if (count < 1 || count > MOST) throw invalid(`--count must be from 1 to ${MOST}`);
    const runs = await nextOf(desk, desk.words[0]!, count);
    desk.out.show(
      runs.map((run) => run.getTime() / 1000),
      () => runs.map(dateOf),
    );
    return undefined;
  },
};

async function nextOf(desk: Desk, what: string, count: number): Promise<Date[]> {
  const { schedules } = await desk.open();
  const zone = desk.flags.text("zone") ?? "UTC";
  const now = await engineTime(await desk.calls());
  if (what.trim().includes(" ")) return schedules.nextRuns(what, count, zone, now);
  const schedule = await scheduleAt(desk, what);
  if (schedule !== undefined) return schedules.nextRuns(schedule.cron, count, schedule.zone, now);
  const one = await recurringAt(desk, what);
  if (one === undefined) throw nothingAs(what);
  const { next, interval } = one;
  return Array.from(
    { length: count },
    (_, i) => new Date(Math.round((next + i * interval) * 1000)),
  );
}

const nothingAs = (jid: string) =>
  new NoSuchJob("NO_SUCH_SCHEDULE", `Nothing recurs as ${jid}: see qless recur list`);

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
    const { schedules, recurring } = await desk.open();
    const isRecurring = (await recurringAt(desk, jid)) !== undefined;
    if (!isRecurring && (await scheduleAt(desk, jid)) === undefined) throw nothingAs(jid);
    if (!(await desk.isSure(`End ${jid}?`))) return EXIT.DECLINED;
    await (isRecurring ? recurring.remove(jid) : schedules.remove(jid));
    desk.out.show({ jid }, () => [plain(`${jid} recurs no more`)]);
    return undefined;
  },
};
