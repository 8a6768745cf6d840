import { NO_OPTIONS } from "../arguments.ts";
import { command } from "../command.ts";
import { newSearch, type Planned } from "../dependencies.ts";
import { announceAll, putMessages } from "../events.ts";
import { find, type Outcome } from "../existing.ts";
import { jobKey } from "../keys.ts";
import {
  finishLanding,
  judgeView,
  type Landing,
  newBatchLanding,
  settleLanding,
  viewOf,
} from "../landing.ts";
import { judgeLayout } from "../layout.ts";
import { changeHolder, type Meeting, meet, newClaims } from "../meeting.ts";
import { fill, type Jobs, NO_JIDS, readJobs, type Stage } from "../put-words.ts";
import { canSeat, judgePut, type Putting, putJob, putNew, seatNew } from "../putting.ts";
import type { Store } from "../store.ts";

/** Puts up to 1,000 jobs, each with its own options: all of them, or none. */
export const putMany = command({
  says: "Put",
  takes: [
    ["worker", "name"],
    ["jobs", "rest"],
  ],
  options: [],
  gives: "texts",
  writes: true,
  frees: false,
  judgesLayout: true,
  run(store, now, [worker, words]) {
    const jobs = readJobs(store, worker, words);
    // Asking once whether any of the jobs exists saves asking for each.
    const areNew = jobs.meetings === undefined && !store.existsAny(jobs.keys);
    if (!areNew && jobs.isWary) jobs.meetings ??= [];
    const { meetings } = jobs;
    const landing = newBatchLanding(now);
    if (meetings !== undefined) {
      // Not every job is put, so the queue of the first may stay as it is.
      judgeLayout(store);
      meetAll(store, now, jobs, meetings);
    } else if (jobs.jids.length > 0) {
      judgeView(store, viewOf(store, landing, jobs.stages[0]!.queue));
    }
    if (!jobs.isPlain) judgeAll(store, jobs);
    tell(store, jobs);
    let outcomes: Outcome[] = [];
    if (meetings !== undefined) outcomes = putMet(store, landing, jobs, meetings);
    else if (areNew) putAllNew(store, landing, jobs);
    else putEach(store, landing, jobs);
    finishLanding(store, landing);
    return jobs.asks ? withOutcomes(jobs.jids, outcomes) : jobs.jids;
  },
});

/** Each jid with its outcome behind it. Without outcomes, all jobs are new. */
function withOutcomes(jids: string[], outcomes: Outcome[]): string[] {
  const answer: string[] = [];
  for (let i = 0; i < jids.length; i++) {
    answer.push(jids[i]!);
    answer.push(outcomes[i] ?? "created");
  }
  return answer;
}

/**
 * Finds out which job each put is about, one after the other, because they may meet each other.
 * Plans anew, since nothing can wait for a job that is not put.
 */
function meetAll(store: Store, now: number, jobs: Jobs, meetings: Meeting[]): void {
  const { jids } = jobs;
  const claims = newClaims();
  const planned: Planned = {};
  for (let i = 0; i < jids.length; i++) {
    const { options } = jobs.stages[i]!;
    const meeting = meet(store, now, jids[i]!, options, claims);
    meetings.push(meeting);
    jids[i] = meeting.jid;
    if (meeting.act === "put") plan(planned, jobKey(meeting.jid), options.depends ?? NO_JIDS);
  }
  jobs.planned = planned;
}

/** Notes what a job will wait for: if that names none, what a put of it before in the call named. */
function plan(planned: Planned, key: string, depends: readonly string[]): void {
  if (planned[key] === undefined || depends.length > 0) planned[key] = depends;
}

/** Every job of the call is read by now, so that they may wait for each other. */
function judgeAll(store: Store, { jids, stages, planned, meetings }: Jobs): void {
  const search = newSearch();
  for (let i = 0; i < jids.length; i++) {
    const { depends } = stages[i]!.options;
    if (depends !== undefined && (meetings === undefined || meetings[i]!.act === "put")) {
      const jid = jids[i]!;
      judgePut(store, jid, planned[jobKey(jid)]!, planned, search);
    }
  }
}

/** Puts jobs of which some exist and are put again. */
function putEach(store: Store, landing: Landing, jobs: Jobs): void {
  const { jids, stages, planned } = jobs;
  const putting = newPutting(jobs);
  for (let i = 0; i < jids.length; i++) {
    fill(putting, jobs, i);
    putJob(store, landing, find(store, jids[i]!), putting, stages[i]!.options, planned);
  }
}

/** Puts jobs that have no records. */
function putAllNew(store: Store, landing: Landing, jobs: Jobs): void {
  const { keys, jids, data, stages, planned } = jobs;
  const { now } = landing;
  const putting = newPutting(jobs);
  const count = keys.length;
  let stage = stages[0]!;
  let view = viewOf(store, landing, stage.queue);
  for (let i = 0; i < count; i++) {
    if (stages[i] !== stage) {
      stage = stages[i]!;
      view = viewOf(store, landing, stage.queue);
    }
    if (stage.options === NO_OPTIONS && stage.delay === 0 && canSeat(view, now)) {
      seatNew(store, landing, view, keys[i]!, jids[i]!, stage.klass, data[i]!);
    } else {
      fill(putting, jobs, i);
      putNew(store, landing, keys[i]!, putting, stage.options, planned);
    }
  }
}

const newPutting = ({ worker }: Jobs): Putting => [worker, "", "", "", "", 0];

/** Puts, keeps or changes the job that each put is about. */
function putMet(store: Store, landing: Landing, jobs: Jobs, meetings: Meeting[]): Outcome[] {
  const putting = newPutting(jobs);
  const outcomes: Outcome[] = [];
  for (let i = 0; i < meetings.length; i++) {
    const { jid, act, found } = meetings[i]!;
    const { options } = jobs.stages[i]!;
    fill(putting, jobs, i);
    // What this call has put or moved so far must be in its place to be taken out of it again.
    if (act !== "keep" && found !== "nothing") settleLanding(store, landing);
    if (act === "keep") outcomes.push("kept");
    else if (act === "change") {
      outcomes.push(changeHolder(store, landing, jid, putting, options));
    } else {
      const there = found ?? find(store, jid);
      outcomes.push(putJob(store, landing, there, putting, options, jobs.planned));
    }
  }
  return outcomes;
}

/** Announces the jobs that are put, in their order. */
function tell(store: Store, { jids, stages, meetings, messages }: Jobs): void {
  if (meetings === undefined) {
    announceAll(store, messages);
    return;
  }
  const put: string[] = [];
  const into: Stage[] = [];
  for (let i = 0; i < jids.length; i++) {
    if (meetings[i]!.act === "put") {
      into.push(stages[i]!);
      put.push(jids[i]!);
    }
  }
  announceAll(store, putMessages(store, put, into));
}
