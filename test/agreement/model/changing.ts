import assert from "node:assert";
import { same } from "../compare.ts";
import { inMs, list, No, pairs, parsed, type Rule } from "./call.ts";
import { dependOn, judgeCycle } from "./dependencies.ts";
import { prune } from "./ending.ts";
import { byBytes, ranked } from "./order.ts";
import { leaveFailures } from "./putting.ts";
import { land, look } from "./queue.ts";
import { childAt } from "./recurring.ts";
import { jobShown, sorted } from "./showing.ts";
import { freeAll, heldNow } from "./uniques.ts";
import type { Job, World } from "./world.ts";

/** Everything else that changes something. */

const jobNamed = (world: World, jid: string): Job => {
  const job = world.jobs.get(jid);
  if (job === undefined) throw new No("NO_SUCH_JOB");
  return job;
};

const cancel: Rule = (world, _now, given) => {
  const jids = [...new Set(given)].filter((jid) => world.jobs.has(jid));
  for (const jid of jids) {
    if (world.jobs.get(jid)!.state === "complete") throw new No("ALREADY_COMPLETE");
    if (world.dependentsOf(jid).some((dependent) => !jids.includes(dependent.jid))) {
      throw new No("HAS_DEPENDENTS");
    }
  }
  return (reply) => {
    for (const jid of jids) {
      leaveFailures(world, world.jobs.get(jid)!);
      freeAll(world, world.jobs.get(jid)!);
      world.forget(world.jobs.get(jid)!);
    }
    same(reply, jids);
  };
};

const depends: Rule = (world, now, [jid, verb, ...on]) => {
  const job = jobNamed(world, jid!);
  if (job.state !== "depends") throw new No("NOT_DEPENDING");
  if (verb === "on") judgeCycle(world, jid!, on);
  return (reply) => {
    assert.equal(reply, 1);
    if (verb === "on") return dependOn(world, job, on);
    const off = on[0] === "all" ? [...job.waitsFor] : on;
    for (const dependency of off) job.waitsFor.delete(dependency);
    if (job.waitsFor.size > 0) return;
    land(world, now, job, job.due);
    world.makeKnown(job.queue, false);
  };
};

const priority: Rule = (world, _now, [jid, number]) => {
  const job = jobNamed(world, jid!);
  return (reply) => {
    job.priority = Number(number);
    // Adding zero, since there is no integer -0.
    assert.equal(reply, Math.trunc(Number(number)) + 0);
  };
};

/** It is told, and nothing is kept. */
const note: Rule = () => (reply) => assert.equal(reply, false);

const log: Rule = (world, now, [jid, message, data]) => {
  const job = jobNamed(world, jid!);
  return (reply) => {
    world.note(job, now, message!, data ? (JSON.parse(data) as object) : {});
    assert.equal(reply, false);
  };
};

const tag: Rule = (world, now, [verb, ...args]) => {
  if (verb === "get") return (reply) => same(parsed(reply), tagged(world, args[0]!));
  if (verb === "top") return (reply) => same(parsed(reply), topTags(world));
  const [jid, ...tags] = args;
  const job = jobNamed(world, jid!);
  return (reply) => {
    if (verb === "add") {
      job.tags = [...new Set([...job.tags, ...tags])];
      world.tag(now, jid!, tags);
    } else {
      job.tags = job.tags.filter((each) => !tags.includes(each));
      world.untag(jid!, tags);
    }
    same(parsed(reply), job.tags);
  };
};

function tagged(world: World, name: string) {
  const entries = [...(world.tags.get(name) ?? [])].map(([jid, at]) => ({ jid, at }));
  const jids = ranked(entries, ({ at }) => at).map(({ jid }) => jid);
  return { total: jids.length, jobs: jids };
}

function topTags(world: World): string[] {
  const counts = [...world.tags].map(([name, jids]) => ({ name, count: jids.size }));
  return counts
    .filter(({ count }) => count >= 2)
    .toSorted((a, b) => b.count - a.count || byBytes(b.name, a.name))
    .map(({ name }) => name);
}

const track: Rule = (world, now, [verb, jid, ...rest]) => {
  if (!verb) {
    return (reply) => {
      const { jobs, ...told } = parsed(reply) as { jobs: unknown[] };
      same({ ...told, jobs: jobs.map(sorted) }, tracked(world, now, pairs(rest)));
    };
  }
  const begins = verb.toLowerCase() === "track";
  const known = world.jobs.has(jid!) || (!begins && world.tracked.has(jid!));
  if (!known) throw new No("NO_SUCH_JOB");
  return (reply) => {
    const changes = begins !== world.tracked.has(jid!);
    if (begins && changes) world.tracked.set(jid!, now);
    if (!begins) world.tracked.delete(jid!);
    assert.equal(reply, changes ? "1" : "0");
  };
};

function tracked(world: World, now: number, page: Map<string, string>) {
  const entries = [...world.tracked].map(([jid, at]) => ({ jid, at }));
  const from = Number(page.get("offset") ?? 0);
  const all = ranked(entries, ({ at }) => at).map(({ jid }) => jid);
  const jids = all.slice(from, from + Number(page.get("count") ?? all.length));
  const there = jids.filter((jid) => world.jobs.has(jid));
  return {
    jobs: there.map((jid) => jobShown(world, now, world.jobs.get(jid)!)),
    expired: jids.filter((jid) => !world.jobs.has(jid)),
  };
}

const pause: Rule = (world, _now, queues) => (reply) => {
  for (const queue of queues)
    world.pauses.set(queue, { reason: "", until: Number.POSITIVE_INFINITY });
  assert.equal(reply, false);
};

const queuePause: Rule = (world, now, [queue, ...rest]) => {
  const options = pairs(rest);
  const end = options.get("until");
  const until = end === undefined ? Number.POSITIVE_INFINITY : inMs(end);
  if (until <= now) throw new No("BAD_ARGUMENT");
  return (reply) => {
    world.pauses.set(queue!, { reason: options.get("reason") ?? "", until });
    assert.equal(reply, false);
  };
};

const unpause: Rule = (world, _now, queues) => (reply) => {
  for (const queue of queues) world.pauses.delete(queue);
  assert.equal(reply, false);
};

const forget: Rule = (world, _now, queues) => (reply) => {
  for (const queue of queues) world.known.delete(queue);
  assert.equal(reply, false);
};

const configSet: Rule =
  (world, _now, [option, value]) =>
  (reply) => {
    if (option === "stats-history" || option === "histogram-history") world.figuresKept = false;
    world.config.set(option!, value!);
    assert.equal(reply, false);
  };

const configUnset: Rule =
  (world, _now, [option]) =>
  (reply) => {
    world.config.delete(option!);
    assert.equal(reply, false);
  };

const uniqueFree: Rule =
  (world, now, [key]) =>
  (reply) => {
    assert.equal(reply, heldNow(world, now, key!) === undefined ? 0 : 1);
    world.holds.delete(key!);
  };

interface Ticked {
  more: boolean;
  next: number | null;
  moved: number;
  released: number;
  removed: number;
}

const tick: Rule = (world, now) => (reply) => {
  const ticked = parsed(reply) as Ticked;
  const queues = new Set([...world.jobs.values(), ...world.recurring.values()].map((j) => j.queue));
  let moved = 0;
  for (const queue of queues) moved += look(world, now, queue);
  const pruned = prune(world, now);
  const due = nextDue(world);
  const needed = Math.min(due, nextElse(world, now));
  same([ticked.more, ticked.moved, ticked.released], [due <= now, moved, 0]);
  assert.ok(ticked.removed >= pruned, "removes what has been kept long enough");
  const next = ticked.next === null ? Number.POSITIVE_INFINITY : ticked.next * 1000;
  assert.ok(next <= needed, `is needed again at ${needed}, not only at ${next}`);
};

/** When the next lock expires, the next job is due or the next child is. */
function nextDue(world: World): number {
  const locks = world.jobsOf("running").map((job) => job.run!.expires);
  const due = world.jobsOf("scheduled").map((job) => job.due!);
  const children = [...world.recurring.values()].map(childAt);
  return Math.min(...locks, ...due, ...children);
}

/** Who waits is told of jobs that come; the others must not have missed any that are there. */
const wait: Rule =
  (world, now, [worker, _seconds, ...queues]) =>
  (reply) => {
    const told = parsed(reply) as { ready: boolean; next: number | null; holds: number };
    const { ready, next } = told;
    assert.equal(told.holds, heldBy(world, worker!));
    const needed = Math.min(...queues.map((queue) => nextIn(world, now, queue)));
    if (ready) return;
    const at = next === null ? Number.POSITIVE_INFINITY : next * 1000;
    assert.ok(at > now && at <= needed, `there is something at ${needed}, not only at ${at}`);
  };

const heldBy = (world: World, worker: string) =>
  world.jobsOf("running").filter(({ run }) => run!.worker === worker).length;

/** When there is something in a queue for a worker. */
function nextIn(world: World, now: number, queue: string): number {
  const pause = world.pauseOf(queue, now);
  if (pause !== undefined) return pause.until;
  const running = world.jobsIn(queue, "running");
  const limit = world.number(0, `${queue}-max-concurrency`);
  const isFree = limit <= 0 || running.length < limit;
  if (isFree && world.jobsIn(queue, "waiting", "stalled").length > 0) return now;
  const children = [...world.recurring.values()].filter((one) => one.queue === queue);
  return Math.min(
    ...running.map((job) => job.run!.expires),
    ...world.jobsIn(queue, "scheduled").map((job) => job.due!),
    ...children.map(childAt),
  );
}

/** When the next pause ends, or the next tick of a schedule is, be it overdue. */
function nextElse(world: World, now: number): number {
  const ends = [...world.pauses.values()].map(({ until }) => until);
  const ticks = [...world.crons.values()].filter(({ paused }) => !paused).map(({ next }) => next);
  return Math.min(...ends.filter((until) => until > now), ...ticks);
}

const present: Rule =
  (world, now, [worker, seconds, facts, ...rest]) =>
  (reply) => {
    assert.equal(reply, heldBy(world, worker!));
    const until = now + inMs(seconds);
    if (until <= now) {
      world.presences.delete(worker!);
      return;
    }
    const options = pairs(rest);
    const queues = list(options.get("queues"));
    const klasses = list(options.get("klasses"));
    world.presences.set(worker!, {
      until,
      shown: { until: until / 1000, queues, klasses, facts },
    });
  };

const deregister: Rule = (world, _now, workers) => (reply) => {
  assert.equal(reply, false);
  for (const worker of workers) world.presences.delete(worker);
};

export const CHANGING_RULES: Record<string, Rule> = {
  cancel,
  "config.set": configSet,
  "config.unset": configUnset,
  depends,
  log,
  note,
  pause,
  priority,
  "queue.forget": forget,
  "queue.pause": queuePause,
  tag,
  tick,
  track,
  "unique.free": uniqueFree,
  unpause,
  wait,
  "worker.deregister": deregister,
  "worker.present": present,
};
