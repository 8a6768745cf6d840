import assert from "node:assert";
import { same } from "../compare.ts";
import { inMs, list, No, pairs, parts, type Rule } from "./call.ts";
import { dependOn, judgeCycle, type Planned } from "./dependencies.ts";
import { land } from "./queue.ts";
import { change, meetAll, takeKey } from "./uniques.ts";
import type { Job, World } from "./world.ts";

/** Putting jobs, and taking them out of the groups of failures. */

export interface Putting {
  queue: string;
  jid: string;
  klass: string;
  data: string;
  delay: number;
  options: Map<string, string>;
}

function puttingOf([queue, jid, klass, data, delay]: string[], options: string[]): Putting {
  return {
    queue: queue!,
    jid: jid!,
    klass: klass!,
    data: data!,
    delay: inMs(delay),
    options: pairs(options),
  };
}

/** When it is to be due. */
const dueOf = (now: number, { delay, options }: Putting) =>
  options.has("at") ? Math.floor(Number(options.get("at")) * 1000 + 0.001) : now + delay;

const dependsOf = ({ options }: Putting) => list(options.get("depends"));

/** A job as it is before anybody has said anything of it. */
function blank({ jid, klass, data, queue }: Putting): Job {
  return {
    jid,
    klass,
    data,
    queue,
    state: "waiting",
    priority: 0,
    retries: 0,
    ownRetries: false,
    remaining: 0,
    tags: [],
    source: null,
    backoff: null,
    cutoff: null,
    context: null,
    spawnedFrom: null,
    run: undefined,
    due: undefined,
    waitsFor: new Set(),
    history: [],
    failure: undefined,
    firstFailure: undefined,
    turn: { lost: undefined, at: 0, by: "put", sequence: 0 },
    since: 0,
    completedAt: 0,
  };
}

/** A job of whose retries nobody has said anything has those that are usual in its queue. */
export function restage(world: World, job: Job): void {
  if (!job.ownRetries) job.retries = world.number(5, `${job.queue}-retries`);
}

/** One job less is failed of those that failed on that day in that queue. */
export function leaveFailures(world: World, job: Job): void {
  if (job.state === "failed") world.figuresOf(job.queue, job.failure!.at).failed -= 1;
}

export function putJob(world: World, now: number, putting: Putting, planned: Planned): void {
  const { jid, queue, options } = putting;
  const job = world.jobs.get(jid) ?? blank(putting);
  leaveFailures(world, job);
  world.jobs.set(jid, job);
  job.klass = putting.klass;
  job.data = putting.data;
  job.queue = queue;
  job.priority = Number(options.get("priority") ?? job.priority);
  job.ownRetries ||= options.has("retries");
  job.retries = Number(options.get("retries") ?? job.retries);
  restage(world, job);
  job.remaining = job.retries;
  job.firstFailure = undefined;
  job.source = options.get("source") ?? job.source;
  job.backoff = options.get("backoff") ?? job.backoff;
  job.cutoff = options.has("cutoff") ? inMs(options.get("cutoff")) : job.cutoff;
  job.context = options.get("context") ?? null;
  takeKey(world, now, job, options);
  if (options.has("tags")) retag(world, now, job, list(options.get("tags")));
  const depends = dependsOf(putting);
  if (depends.length > 0) {
    for (const old of job.waitsFor) if (!depends.includes(old)) job.waitsFor.delete(old);
    dependOn(world, job, depends, planned);
  }
  world.note(job, now, "put", { q: queue });
  job.since = now;
  land(world, now, job, dueOf(now, putting));
  world.makeKnown(queue);
}

function retag(world: World, now: number, job: Job, tags: string[]): void {
  const before = job.tags;
  job.tags = [...new Set(tags)];
  world.untag(
    job.jid,
    before.filter((tag) => !job.tags.includes(tag)),
  );
  world.tag(now, job.jid, job.tags);
}

/** Which job there is after a put, and what was done. */
type Put = [jid: string, outcome: string];

/** Puts all of them, one after the other, or refuses. */
function putAll(world: World, now: number, puttings: Putting[]): () => Put[] {
  if (puttings.some(({ delay, options }) => options.has("at") && delay !== 0)) {
    throw new No("BAD_ARGUMENT");
  }
  const met = meetAll(world, now, puttings);
  const about = puttings.map((putting, i) => ({ ...putting, ...met[i]! }));
  const planned: Planned = new Map();
  for (const putting of about.filter(({ act }) => act === "put")) {
    const depends = dependsOf(putting);
    if (depends.length > 0 || !planned.has(putting.jid)) planned.set(putting.jid, depends);
  }
  for (const jid of planned.keys()) judgeCycle(world, jid, planned.get(jid)!, planned);
  return () =>
    about.map((putting) => {
      const { jid, act } = putting;
      if (act === "keep") return [jid, "kept"];
      if (act === "change") {
        const isChanged = change(world, now, { ...putting, due: dueOf(now, putting) });
        return [jid, isChanged ? "changed" : "kept"];
      }
      const outcome = world.jobs.has(jid) ? "replaced" : "created";
      putJob(world, now, putting, planned);
      return [jid, outcome];
    });
}

const put: Rule = (world, now, [_worker, ...args]) => {
  const putting = puttingOf(args, args.slice(5));
  const act = putAll(world, now, [putting]);
  return (reply) => {
    const [answer] = act();
    same(reply, putting.options.has("exists") ? answer! : answer![0]);
  };
};

const requeue: Rule = (world, now, args) => {
  if (!world.jobs.has(args[2]!)) throw new No("NO_SUCH_JOB");
  return put(world, now, args);
};

/** A tab, a jid and data stand for a job that is otherwise as the one before it. */
function writtenOut(words: string[]): string[] {
  const all: string[] = [];
  let before: string[] = [];
  for (let at = 0; at < words.length; ) {
    const isSame = words[at] === "\t";
    const end = isSame ? at + 3 : at + 6 + Number(words[at + 5]);
    const [, jid, data] = words.slice(at, end);
    before = isSame ? before.with(1, jid!).with(3, data!) : words.slice(at, end);
    all.push(...before);
    at = end;
  }
  return all;
}

const putMany: Rule = (world, now, [_worker, ...words]) => {
  const puttings = parts(writtenOut(words), 6).map(({ head, options }) => puttingOf(head, options));
  const jids = puttings.map(({ jid }) => jid);
  const isTwice = ({ jid, options }: Putting, i: number) =>
    jids.indexOf(jid) < i && !options.has("exists");
  if (puttings.some(isTwice)) throw new No("BAD_ARGUMENT");
  const act = putAll(world, now, puttings);
  const asks = puttings.some(({ options }) => options.has("exists"));
  return (reply) => same(reply, asks ? act().flat() : act().map(([jid]) => jid));
};

/** The failed jobs of a group, the longest failed first. */
export function failedIn(world: World, group: string): Job[] {
  const failed = world.jobsOf("failed").filter(({ failure }) => failure!.group === group);
  return failed.toSorted((a, b) => a.failure!.sequence - b.failure!.sequence);
}

const unfail: Rule = (world, now, [queue, group, count]) => {
  return (reply) => {
    const jobs = failedIn(world, group!).slice(0, Number(count || 25));
    for (const job of jobs) bringAgain(world, now, job, queue!);
    assert.equal(reply, jobs.length);
  };
};

/** Puts a job into a queue as it is, and without delay. */
export function bringAgain(world: World, now: number, job: Job, queue: string): void {
  leaveFailures(world, job);
  job.queue = queue;
  restage(world, job);
  job.remaining = job.retries;
  job.firstFailure = undefined;
  job.since = now;
  world.note(job, now, "put", { q: queue });
  land(world, now, job, undefined);
  world.makeKnown(queue);
}

export const PUTTING_RULES: Record<string, Rule> = {
  put,
  "put.many": putMany,
  requeue,
  unfail,
};
