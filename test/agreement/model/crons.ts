import assert from "node:assert";
import { same } from "../compare.ts";
import { inMs, list, No, pairs, parsed, type Rule } from "./call.ts";
import { ranked } from "./order.ts";
import { putJob } from "./putting.ts";
import type { Cron, World } from "./world.ts";

/** Schedules, their ticks, and the children that these put. */

const cronNamed = (world: World, jid: string): Cron => {
  const found = world.crons.get(jid);
  if (found === undefined) throw new No("NO_SUCH_SCHEDULE");
  return found;
};

const cronPut: Rule = (world, now, [jid, queue, klass, data, cron, zone, next, ...rest]) => {
  const options = pairs(rest);
  const old = world.crons.get(jid!);
  if (old === undefined && (world.jobs.has(jid!) || world.recurring.has(jid!))) {
    throw new No("JID_TAKEN");
  }
  const retries = options.get("retries");
  const said: Cron["said"] = {
    queue: queue!,
    klass: klass!,
    data: data!,
    cron: cron!,
    zone: zone!,
    priority: Number(options.get("priority") ?? 0),
    tags: [...new Set(list(options.get("tags")))],
    retries: retries === undefined ? null : Number(retries),
    source: options.get("source") ?? null,
    backoff: options.get("backoff") ?? null,
    overlap: options.get("overlap") ?? "allow",
    missed: options.get("missed") ?? "one",
    backlog: Number(options.get("backlog") ?? 100),
    jitter: Number(options.get("jitter") ?? 0),
  };
  return (reply) => {
    assert.equal(reply, jid);
    if (JSON.stringify(old?.said) === JSON.stringify(said)) return;
    const begun = { jid: jid!, since: now, paused: false, last: null, child: null };
    const noted = old ?? { ...begun, runs: 0, skipped: 0 };
    world.crons.set(jid!, { ...noted, said, next: inMs(next) });
  };
};

/** As cron.get shows it. */
function shown({ jid, said, paused, next, last, child, runs, skipped }: Cron) {
  const times = { next: next / 1000, last: last === null ? null : last / 1000 };
  return { jid, ...said, paused, ...times, last_jid: child, runs, skipped };
}

const cronGet: Rule =
  (world, _now, [jid]) =>
  (reply) => {
    const found = world.crons.get(jid!);
    if (found === undefined) return assert.equal(reply, false);
    same(parsed(reply), shown(found));
  };

const cronList: Rule =
  (world, _now, [offset, count]) =>
  (reply) => {
    const all = ranked([...world.crons.values()], ({ since }) => since);
    const from = Number(offset || 0);
    same(parsed(reply), all.slice(from, from + Number(count || 25)).map(shown));
  };

const cronDue: Rule =
  (world, now, [count]) =>
  (reply) => {
    const due = [...world.crons.values()].filter(({ next, paused }) => !paused && next <= now);
    const first = ranked(due, ({ next }) => next).slice(0, Number(count || 100));
    const later = [...world.crons.values()].filter(({ next, paused }) => !paused && next > now);
    const next = Math.min(...later.map((cron) => cron.next));
    same(parsed(reply), {
      now: now / 1000,
      schedules: first.map(shown),
      next: later.length === 0 ? null : next / 1000,
    });
  };

const cronDrop: Rule =
  (world, _now, [jid]) =>
  (reply) =>
    assert.equal(reply, world.crons.delete(jid!) ? 1 : 0);

const cronPause: Rule = (world, _now, [jid]) => {
  const cron = cronNamed(world, jid!);
  return (reply) => {
    assert.equal(reply, cron.paused ? 0 : 1);
    cron.paused = true;
  };
};

const cronUnpause: Rule = (world, _now, [jid, ...rest]) => {
  const cron = cronNamed(world, jid!);
  const next = pairs(rest).get("next");
  return (reply) => {
    assert.equal(reply, cron.paused ? 1 : 0);
    if (cron.paused && next !== undefined) cron.next = inMs(next);
    cron.paused = false;
  };
};

const isOver = (world: World, jid: string | null): boolean => {
  const state = jid === null ? undefined : world.jobs.get(jid)?.state;
  return state === undefined || state === "complete" || state === "failed";
};

/** Puts the child of the tick, unless it must not be; its jid, or nothing. */
function putChild(world: World, now: number, cron: Cron, tick: number, delay: number): string {
  const { said } = cron;
  if (said.overlap === "skip" && !isOver(world, cron.child)) {
    cron.skipped += 1;
    return "";
  }
  const jid = `${cron.jid}-${Math.floor(tick / 1000)}`;
  cron.last = tick;
  cron.child = jid;
  if (world.jobs.has(jid)) return "";
  cron.runs += 1;
  const options = new Map([["priority", String(said.priority)]]);
  options.set("tags", JSON.stringify(said.tags));
  if (said.retries !== null) options.set("retries", String(said.retries));
  if (said.source !== null) options.set("source", said.source);
  if (said.backoff !== null) options.set("backoff", said.backoff);
  const { queue, klass, data } = said;
  putJob(world, now, { queue, jid, klass, data, delay, options }, new Map());
  world.jobs.get(jid)!.spawnedFrom = cron.jid;
  return jid;
}

const cronFire: Rule = (world, now, [jid, given, next, ...rest]) => {
  const options = pairs(rest);
  const tick = inMs(given);
  if (inMs(next) <= tick) throw new No("BAD_ARGUMENT");
  return (reply) => {
    const cron = world.crons.get(jid!);
    if (cron === undefined || cron.paused || cron.next !== tick) return assert.equal(reply, "");
    cron.next = inMs(next);
    const puts = options.get("put") !== "0";
    const delay = inMs(options.get("delay"));
    assert.equal(reply, puts ? putChild(world, now, cron, tick, delay) : "");
  };
};

export const CRON_RULES: Record<string, Rule> = {
  "cron.drop": cronDrop,
  "cron.due": cronDue,
  "cron.fire": cronFire,
  "cron.get": cronGet,
  "cron.list": cronList,
  "cron.pause": cronPause,
  "cron.put": cronPut,
  "cron.unpause": cronUnpause,
};
