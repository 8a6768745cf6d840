import assert from "node:assert";
import { same } from "../compare.ts";
import { No, parsed, type Rule } from "./call.ts";
import { assertOrder, byBytes, ranked } from "./order.ts";
import { failedIn } from "./putting.ts";
import { childAt } from "./recurring.ts";
import { jobShown, sorted } from "./showing.ts";
import { heldNow } from "./uniques.ts";
import { type Job, type State, seenState, type World } from "./world.ts";

/** Commands that only tell. */

const get: Rule =
  (world, now, [jid]) =>
  (reply) => {
    const job = world.jobs.get(jid!);
    if (job === undefined) return assert.equal(reply, false);
    same(sorted(parsed(reply)), jobShown(world, now, job));
  };

const multiget: Rule = (world, now, jids) => (reply) => {
  const jobs = jids.flatMap((jid) => world.jobs.get(jid) ?? []);
  const expected = jobs.map((job) => jobShown(world, now, job));
  same((parsed(reply) as unknown[]).map(sorted), expected);
};

/** Those whose locks are lost come first, then the waiting, the due among them at their place. */
const peek: Rule =
  (world, now, [queue, count]) =>
  (reply) => {
    const shown = (parsed(reply) as unknown[]).map(sorted);
    const jids = shown.map(({ jid }) => jid);
    const running = world.jobsIn(queue!, "running").filter((job) => job.run!.expires <= now);
    const lost = ranked(running, (job) => job.run!.expires).slice(0, Number(count));
    const waiting = [...world.jobsIn(queue!, "waiting", "stalled"), ...dueIn(world, now, queue!)];
    assert.equal(jids.length, Math.min(Number(count), lost.length + waiting.length));
    same(
      jids.slice(0, lost.length),
      lost.map(({ jid }) => jid),
    );
    assertOrder(world, jids.slice(lost.length), waiting);
    for (const job of shown) same(job, jobShown(world, now, world.jobs.get(job.jid)!));
  };

/** Scheduled jobs that are due, as they will be once they are moved. */
function dueIn(world: World, now: number, queue: string): Job[] {
  return world
    .jobsIn(queue, "scheduled")
    .filter((job) => job.due! <= now)
    .map((job) => ({ ...job, turn: { ...job.turn, at: job.due!, by: "due" as const } }));
}

const seenIn = (world: World, now: number, queue: string, state: State) =>
  world.jobsIn(queue, "waiting", "running", "scheduled", "depends", "stalled").filter((job) => {
    // A job that lost its lock and is back among the waiting is counted there.
    const seen = job.state === "stalled" ? "waiting" : seenState(job, now);
    return seen === state;
  });

function listed(world: World, now: number, state: string, queue: string): string[] {
  if (state === "recurring") {
    const all = [...world.recurring.values()].filter((template) => template.queue === queue);
    return ranked(all, childAt).map(({ jid }) => jid);
  }
  const jobs = seenIn(world, now, queue, state as State);
  if (state === "running" || state === "stalled") {
    return ranked(jobs, (job) => job.run!.expires).map(({ jid }) => jid);
  }
  if (state === "depends") return ranked(jobs, (job) => job.turn.at).map(({ jid }) => jid);
  const byDue = (a: Job, b: Job) => a.due! - b.due! || a.turn.sequence - b.turn.sequence;
  return jobs.toSorted(byDue).map(({ jid }) => jid);
}

const jobs: Rule = (world, now, [state, ...args]) => {
  return (reply) => {
    const [queue, offset, count] = state === "complete" ? ["", ...args] : args;
    const page = <T>(all: T[]): T[] => {
      const from = Number(offset ?? 0);
      return all.slice(from, from + Number(count || 25));
    };
    if (state === "complete") {
      const all = ranked(world.jobsOf("complete"), (job) => job.completedAt).toReversed();
      return same(reply, page(all.map(({ jid }) => jid)));
    }
    if (state !== "waiting") {
      return same(reply, page(listed(world, now, state!, queue!)));
    }
    const waiting = seenIn(world, now, queue!, "waiting").map(({ jid }) => jid);
    const told = reply as string[];
    assert.equal(told.length, page(waiting).length);
    assert.ok(told.every((jid) => waiting.includes(jid)) && new Set(told).size === told.length);
  };
};

function counts(world: World, now: number, queue: string) {
  const count = (state: State) => seenIn(world, now, queue, state).length;
  return {
    name: queue,
    waiting: count("waiting"),
    running: count("running"),
    stalled: count("stalled"),
    scheduled: count("scheduled"),
    depends: count("depends"),
    recurring: [...world.recurring.values()].filter((template) => template.queue === queue).length,
    ...pauseShown(world, now, queue),
  };
}

function pauseShown(world: World, now: number, queue: string) {
  const pause = world.pauseOf(queue, now);
  if (pause === undefined) return { paused: false };
  const { reason, until } = pause;
  return {
    paused: true,
    ...(reason === "" ? {} : { paused_reason: reason }),
    ...(until === Number.POSITIVE_INFINITY ? {} : { paused_until: until / 1000 }),
  };
}

const queues: Rule =
  (world, now, [queue]) =>
  (reply) => {
    if (queue !== undefined) return sameCounts(world, now, parsed(reply) as Counts);
    const told = parsed(reply) as Counts[];
    const names = told.map(({ name }) => name);
    for (const [name, certain] of world.known) assert.ok(!certain || names.includes(name), name);
    assert.ok(names.every((name) => world.known.has(name)));
    for (const one of told) sameCounts(world, now, one);
  };

interface Counts {
  name: string;
  next_since?: number;
}

/** The next in line waits since one of those who wait came, and nobody where none does. */
function sameCounts(world: World, now: number, { next_since: since, ...told }: Counts): void {
  const expected = counts(world, now, told.name);
  same(told, expected);
  assert.equal(since !== undefined, expected.waiting > 0, "somebody is next where somebody waits");
}

const length: Rule =
  (world, _now, [queue]) =>
  (reply) =>
    assert.equal(reply, world.jobsIn(queue!, "waiting", "stalled", "running", "scheduled").length);

const failed: Rule =
  (world, _now, [group, start, limit]) =>
  (reply) => {
    if (!group) {
      const groups = world.jobsOf("failed").map(({ failure }) => failure!.group);
      const sizes = groups.map((name) => [name, failedIn(world, name).length]);
      return same(parsed(reply), Object.fromEntries(sizes));
    }
    const jids = failedIn(world, group)
      .map(({ jid }) => jid)
      .toReversed();
    const from = Number(start || 0);
    const page = jids.slice(from, from + Number(limit || 25));
    same(parsed(reply), { total: jids.length, jobs: page });
  };

const workers: Rule =
  (world, now, [worker]) =>
  (reply) => {
    const held = (name: string) =>
      world.jobsOf("running").filter((job) => job.run!.worker === name);
    const isLive = (job: Job) => job.run!.expires > now;
    if (worker === undefined) {
      const all = parsed(reply) as { name: string; present?: object }[];
      for (const { name, present, ...told } of all) {
        const live = held(name).filter(isLive).length;
        same(told, { jobs: live, stalled: held(name).length - live }, name);
        const presence = world.presences.get(name);
        same(present, (presence?.until ?? 0) > now ? presence?.shown : undefined);
      }
      return;
    }
    const byExpiry = held(worker).toSorted(
      (a, b) => b.run!.expires - a.run!.expires || byBytes(b.jid, a.jid),
    );
    const jids = (found: Job[]) => found.map(({ jid }) => jid);
    same(parsed(reply), {
      jobs: jids(byExpiry.filter(isLive)),
      stalled: jids(byExpiry.filter((job) => !isLive(job))),
    });
  };

const explain: Rule = (world, now, [jid]) => {
  const job = world.jobs.get(jid!);
  if (job === undefined) throw new No("NO_SUCH_JOB");
  return (reply) => {
    const told = parsed(reply) as { jid: string; state: string };
    same([told.jid, told.state], [jid, seenState(job, now)]);
  };
};

const configGet: Rule =
  (world, _now, [option]) =>
  (reply) => {
    const set = option === undefined ? undefined : world.config.get(option);
    if (set !== undefined) assert.equal(reply, set);
  };

interface Times {
  count: number;
  mean: number;
  histogram: number[];
}

function assertTimes(told: Times, times: number[]): void {
  const sum = times.reduce((total, time) => total + time / 1000, 0);
  assert.equal(told.count, times.length);
  assert.ok(Math.abs(told.mean - (times.length === 0 ? 0 : sum / times.length)) < 1e-6);
  assert.equal(
    told.histogram.reduce((total, bin) => total + bin, 0),
    times.length,
  );
}

const stats: Rule =
  (world, _now, [queue, date]) =>
  (reply) => {
    if (!world.figuresKept) return;
    const { waits, runs, ...counters } = world.figuresOf(queue!, Number(date) * 1000);
    const { wait, run, ...told } = parsed(reply) as { wait: Times; run: Times };
    same(told, counters);
    assertTimes(wait, waits);
    assertTimes(run, runs);
  };

const uniqueGet: Rule =
  (world, now, [key]) =>
  (reply) =>
    assert.equal(reply, heldNow(world, now, key!)?.jid ?? "");

export const READING_RULES: Record<string, Rule> = {
  "config.get": configGet,
  explain,
  failed,
  get,
  jobs,
  length,
  multiget,
  peek,
  queues,
  stats,
  "unique.get": uniqueGet,
  workers,
};
