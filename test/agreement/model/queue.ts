import assert from "node:assert";
import { same } from "../compare.ts";
import { assertOrder, ranked } from "./order.ts";
import { spawnDue } from "./recurring.ts";
import { letGo } from "./uniques.ts";
import type { Job, Run, World } from "./world.ts";

/** Jobs entering queues, what time does to them there, and their being handed out. */

/** Brings a job into a queue: it waits for others, for its time, or for a worker. */
export function land(
  world: World,
  now: number,
  job: Job,
  due: number | undefined,
  sequence?: number,
) {
  job.run = undefined;
  job.due = due !== undefined && due > now ? due : undefined;
  job.state = job.waitsFor.size > 0 ? "depends" : job.due !== undefined ? "scheduled" : "waiting";
  const order = sequence ?? world.nextSequence();
  job.turn = { lost: undefined, at: now, by: "put", sequence: order };
}

/** Fails a job that its worker gave up, or that was taken from it once too often. */
export function fail(world: World, now: number, job: Job, group: string, message: string): void {
  const { worker } = job.run!;
  world.note(job, now, "failed", job.remaining < 0 ? { group } : { group, worker });
  job.failure = { group, message, at: now, worker, sequence: world.nextSequence() };
  job.firstFailure ??= job.failure;
  job.state = "failed";
  job.run = undefined;
  letGo(world, job, ["failed"]);
  world.figuresOf(job.queue, now).failures += 1;
  world.figuresOf(job.queue, now).failed += 1;
}

/** Does what time demands of a queue; returns how many jobs that touched. */
export function look(world: World, now: number, queue: string): number {
  const locked = ranked(world.jobsIn(queue, "running"), (job) => job.run!.expires);
  const expired = locked.filter((job) => job.run!.expires <= now);
  for (const job of expired) expire(world, now, job, job.run!);
  const spawned = spawnDue(world, now, queue);
  const due = world.jobsIn(queue, "scheduled").filter((job) => job.due! <= now);
  for (const job of due) {
    job.state = "waiting";
    job.turn = { ...job.turn, at: job.due!, by: "due" };
    job.due = undefined;
  }
  return expired.length + spawned + due.length;
}

/** First a warning and some grace, then the job is taken away. Both at once without grace. */
function expire(world: World, now: number, job: Job, run: Run): void {
  const grace = world.number(10, "grace-period") * 1000;
  const cutoff = world.cutoffMs(job);
  const end = cutoff === undefined ? undefined : run.began + cutoff;
  const taken = run.warned || grace <= 0;
  if (!run.warned) {
    world.note(job, now, "timed-out");
    world.figuresOf(job.queue, now).retries += 1;
    run.warned = true;
    if (!taken) run.expires = now + grace;
  }
  if (!taken) return;
  job.remaining -= 1;
  if (job.remaining >= 0) stall(world, job, run.expires);
  else exhaust(world, now, job, end !== undefined && end <= now);
}

function exhaust(world: World, now: number, job: Job, isOver: boolean): void {
  const { queue } = job;
  const end = "is gone, as others before, and no retry is left: does the job crash them?";
  if (!isOver) fail(world, now, job, "crashed", `Worker ${job.run!.worker} ${end}`);
  else
    fail(world, now, job, `failed-retries-${queue}`, `Job exhausted retries in queue "${queue}"`);
}

/** Puts a job that lost its lock in front of its queue, those that lost it first before the others. */
export function stall(world: World, job: Job, lost: number): void {
  job.state = "stalled";
  job.since = job.run!.began;
  job.run = undefined;
  job.turn = { lost, at: lost, by: "put", sequence: world.nextSequence() };
}

export interface Asking {
  queues: string[];
  worker: string;
  count: number;
  history: boolean;
}

/** Holds what was handed out to what there was, and locks it. */
export function take(world: World, now: number, asking: Asking, reply: string[]): void {
  let taken = 0;
  for (const queue of asking.queues) {
    const wanted = asking.count - taken;
    if (wanted <= 0 || world.pauseOf(queue, now) !== undefined) continue;
    look(world, now, queue);
    const waiting = world.jobsIn(queue, "waiting", "stalled");
    const limit = world.number(0, `${queue}-max-concurrency`);
    const room = limit > 0 ? Math.max(limit - world.jobsIn(queue, "running").length, 0) : wanted;
    const count = Math.min(wanted, room, waiting.length);
    const popped = reply.slice(taken, taken + count).map((job) => job.split("\t"));
    assert.equal(popped.length, count, `${count} jobs to be handed out of ${queue}`);
    const jids = popped.map(([jid]) => jid!);
    for (const [i, job] of assertOrder(world, jids, waiting).entries()) {
      lock(world, now, job, asking, popped[i]!);
    }
    taken += count;
  }
  assert.equal(reply.length, taken, "more jobs were handed out than there were");
}

function lock(world: World, now: number, job: Job, asking: Asking, popped: string[]): void {
  const lease = Number(popped[3]);
  assert.ok(lease > world.lease, `lease ${lease} comes after ${world.lease}`);
  world.lease = lease;
  world.figuresOf(job.queue, now).waits.push(now - job.since);
  const cutoff = world.cutoffMs(job) ?? Number.POSITIVE_INFINITY;
  const expires = now + Math.min(world.heartbeatMs(job.queue), cutoff);
  job.state = "running";
  letGo(world, job, ["start"]);
  job.run = { worker: asking.worker, lease, expires, began: now, warned: false };
  world.note(job, now, "popped", { worker: asking.worker });
  same(shown(popped), {
    job: [job.jid, job.klass, job.queue, job.data],
    expires: (expires / 1000).toFixed(3),
    numbers: [job.priority, job.retries, job.remaining],
    tags: job.tags,
    marks: [job.source, job.spawnedFrom, job.context].map((mark) => mark ?? undefined),
    cutoff: job.cutoff === null ? undefined : job.cutoff / 1000,
    tracked: world.tracked.has(job.jid),
    history: asking.history ? job.history : undefined,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: what is in it is held to the model.
type More = Record<string, any>;

function shown([jid, klass, queue, , expires, said, ...data]: string[]) {
  const more: More = said === "" ? {} : JSON.parse(said!);
  // What is left out has its default.
  const { priority = 0, retries = 5, remaining = retries, tags = [], tracked = false } = more;
  return {
    job: [jid, klass, queue, data.join("\t")],
    expires,
    numbers: [priority, retries, remaining],
    tags,
    marks: [more.source, more.spawned_from_jid, more.context],
    cutoff: more.cutoff,
    tracked,
    history: more.history,
  };
}
