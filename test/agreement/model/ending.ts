import assert from "node:assert";
import { inMs, list, No, pairs, type Rule } from "./call.ts";
import { dependOn, judgeCycle } from "./dependencies.ts";
import { ranked } from "./order.ts";
import { restage } from "./putting.ts";
import { fail, land, stall } from "./queue.ts";
import { letGo } from "./uniques.ts";
import type { Job, World } from "./world.ts";

/** What workers do with a job they hold. */

interface Claim {
  jid: string;
  worker: string;
  /** Empty or left out when the caller knows none. */
  lease: string | undefined;
  queue?: string;
}

/** The job if the worker holds it as it says. */
export function claimed(world: World, { jid, worker, lease, queue }: Claim): Job {
  const job = world.jobs.get(jid);
  if (job === undefined) throw new No("NO_SUCH_JOB");
  if (job.state !== "running") throw new No("NOT_RUNNING");
  if (job.run!.worker !== worker) throw new No("LOCK_LOST");
  if (lease !== undefined && lease !== "" && Number(lease) !== job.run!.lease) {
    throw new No("LOCK_LOST");
  }
  if (queue !== undefined && queue !== job.queue) throw new No("WRONG_QUEUE");
  return job;
}

export function completeJob(
  world: World,
  now: number,
  job: Job,
  options: Map<string, string>,
): string {
  world.figuresOf(job.queue, now).runs.push(now - job.run!.began);
  world.note(job, now, "done");
  job.data = options.get("data") ?? job.data;
  job.remaining = job.retries;
  job.failure = undefined;
  job.firstFailure = undefined;
  job.since = now;
  const next = options.get("next");
  if (next !== undefined) {
    world.note(job, now, "put", { q: next });
    world.makeKnown(next);
    job.queue = next;
    restage(world, job);
    job.remaining = job.retries;
    dependOn(world, job, list(options.get("depends")));
    land(world, now, job, now + inMs(options.get("delay")));
    return job.state;
  }
  job.state = "complete";
  job.run = undefined;
  job.completedAt = now;
  letGo(world, job, ["start", "complete", "failed"]);
  release(world, now, job.jid);
  return "complete";
}

/** Lets go those that waited for nothing but this job; which of them first is not said. */
function release(world: World, now: number, jid: string): void {
  const sequence = world.nextSequence();
  for (const dependent of world.dependentsOf(jid)) {
    dependent.waitsFor.delete(jid);
    if (dependent.waitsFor.size > 0 || dependent.state !== "depends") continue;
    land(world, now, dependent, dependent.due, sequence);
    world.makeKnown(dependent.queue, false);
  }
}

/** Completed jobs go when they are too old, and the oldest when they are too many. */
export function prune(world: World, now: number): number {
  const keepMs = world.number(604_800, "jobs-history") * 1000;
  const keep = Math.max(world.number(50_000, "jobs-history-count"), 0);
  const completed = ranked(world.jobsOf("complete"), (job) => job.completedAt);
  const old = completed.filter((job) => job.completedAt <= now - keepMs);
  const young = completed.filter((job) => !old.includes(job));
  const gone = [...old, ...young.slice(0, Math.max(young.length - keep, 0))];
  for (const job of gone) world.forget(job);
  return gone.length;
}

/** Seconds that a job rests before its `attempt`-th retry; one that does not count is a first. */
function restOf(backoff: string | undefined, attempt: number, lot: number): number {
  if (backoff === undefined) return 0;
  const [kind, base, ...rest] = backoff.split(" ");
  const said = pairs(rest);
  const nth = Math.max(attempt, 1);
  const factor = { fixed: 1, linear: nth, exponential: 2 ** (nth - 1) }[kind!] ?? 0;
  const cap = Number(said.get("cap") ?? Number.MAX_VALUE);
  const jitter = 1 + Number(said.get("jitter") ?? 0) * (2 * lot - 1);
  return Math.min(Math.min(Number(base) * factor, cap) * jitter, cap);
}

export function retryJob(
  world: World,
  now: number,
  job: Job,
  options: Map<string, string>,
): number {
  const { queue } = job;
  const { worker } = job.run!;
  const group = options.get("group");
  const message = options.get("message");
  if (options.get("spend") !== "0") job.remaining -= 1;
  world.figuresOf(queue, now).retries += 1;
  if (job.remaining < 0) {
    const exhausted = `Job exhausted retries in queue "${queue}"`;
    fail(world, now, job, group ?? `failed-retries-${queue}`, message ?? exhausted);
    return job.remaining;
  }
  if (group !== undefined && message !== undefined) {
    job.failure = { group, message, at: now, worker, sequence: 0 };
    job.firstFailure ??= job.failure;
  }
  world.note(job, now, "retried", { worker });
  const backoff = job.backoff ?? world.config.get(`${queue}-backoff`) ?? options.get("backoff");
  const lot = Number(options.get("lot") ?? 0.5);
  const rest = restOf(backoff, job.retries - job.remaining, lot) * 1000;
  const delay = options.has("delay") ? inMs(options.get("delay")) : Math.round(rest);
  job.since = now;
  land(world, now, job, now + delay);
  world.makeKnown(queue, false);
  return job.remaining;
}

const complete: Rule = (world, now, [jid, worker, queue, data, ...rest]) => {
  const options = pairs(rest).set("data", data!);
  const claim = { jid: jid!, worker: worker!, queue: queue!, lease: options.get("lease") };
  const job = claimed(world, claim);
  judgeCycle(world, jid!, list(options.get("depends")));
  return (reply) => {
    assert.equal(completeJob(world, now, job, options), reply);
    if (reply === "complete") prune(world, now);
  };
};

const failRule: Rule = (world, now, [jid, worker, group, message, data, ...rest]) => {
  const job = claimed(world, { jid: jid!, worker: worker!, lease: pairs(rest).get("lease") });
  return (reply) => {
    if (data !== undefined && data !== "") job.data = data;
    fail(world, now, job, group!, message!);
    assert.equal(reply, jid);
  };
};

const retry: Rule = (world, now, [jid, queue, worker, delay, group, message, ...rest]) => {
  const options = pairs(rest);
  const claim = { jid: jid!, worker: worker!, queue: queue!, lease: options.get("lease") };
  const job = claimed(world, claim);
  const said = { delay, group, message };
  // What is empty was left out.
  for (const [name, value] of Object.entries(said)) if (value) options.set(name, value);
  return (reply) => assert.equal(retryJob(world, now, job, options), reply);
};

/** Until when the worker has the job now. */
export function renew(world: World, now: number, claim: Claim, data: string | undefined): number {
  const job = claimed(world, claim);
  const cutoff = world.cutoffMs(job);
  const end = cutoff === undefined ? Number.POSITIVE_INFINITY : job.run!.began + cutoff;
  if (end <= now) throw new No("PAST_CUTOFF");
  job.run!.expires = Math.min(now + world.heartbeatMs(job.queue), end);
  job.run!.warned = false;
  if (data !== undefined && data !== "") job.data = data;
  return job.run!.expires;
}

const heartbeat: Rule = (world, now, [jid, worker, data, ...rest]) => {
  // It refuses before it changes anything, so it may be played at once.
  const claim = { jid: jid!, worker: worker!, lease: pairs(rest).get("lease") };
  const expires = renew(world, now, claim, data);
  return (reply) => assert.equal(reply, Math.floor(expires / 1000));
};

const checkin: Rule = (world, now, [jid, worker, message, ...rest]) => {
  const options = pairs(rest);
  const claim = { jid: jid!, worker: worker!, lease: options.get("lease") };
  const expires = renew(world, now, claim, undefined);
  const progress = options.get("progress");
  const said = progress === undefined ? {} : { progress: Number(progress) };
  world.note(world.jobs.get(jid!)!, now, message!, said);
  return (reply) => assert.equal(Number(reply), expires / 1000);
};

const timeout: Rule = (world, now, jids) => {
  const jobs = [...new Set(jids)].map((jid) => {
    const job = world.jobs.get(jid);
    if (job === undefined) throw new No("NO_SUCH_JOB");
    if (job.state !== "running") throw new No("NOT_RUNNING");
    return job;
  });
  return (reply) => {
    for (const job of jobs) {
      world.note(job, now, "timed-out");
      world.figuresOf(job.queue, now).retries += 1;
      stall(world, job, now);
    }
    assert.equal(reply, false);
  };
};

export const ENDING_RULES: Record<string, Rule> = {
  checkin,
  complete,
  fail: failRule,
  heartbeat,
  retry,
  timeout,
};
