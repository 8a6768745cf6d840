import assert from "node:assert";
import { same } from "../compare.ts";
import { type Answered, inMs, list, No, pairs, parsed, type Rule } from "./call.ts";
import { ranked } from "./order.ts";
import type { Recurring, World } from "./world.ts";

/** Recurring jobs and their children. */

const recurringNamed = (world: World, jid: string): Recurring => {
  const found = world.recurring.get(jid);
  if (found === undefined) throw new No("NO_SUCH_RECURRING");
  return found;
};

/** When the next child comes; those of which none comes are behind all others. */
export const childAt = ({ next, paused }: Recurring): number =>
  paused === undefined ? next : Number.POSITIVE_INFINITY;

/** Puts the children that are due in the queue; returns how many. */
export function spawnDue(world: World, now: number, queue: string): number {
  const due = [...world.recurring.values()].filter((r) => r.queue === queue && childAt(r) <= now);
  let spawned = 0;
  for (const template of ranked(due, ({ next }) => next)) {
    const missed = Math.floor((now - template.next) / template.interval) + 1;
    const skipped = template.backlog > 0 ? Math.max(missed - template.backlog, 0) : 0;
    template.next += skipped * template.interval;
    for (; template.next <= now; template.next += template.interval) {
      spawn(world, now, template);
      spawned += 1;
    }
  }
  return spawned;
}

/** A number that is taken is stepped over, and the steps grow twofold. */
function nextNumber(world: World, { jid, count }: Recurring): number {
  let number = count + 1;
  for (let step = 1; world.jobs.has(`${jid}-${number}`); step *= 2) number += step;
  return number;
}

function spawn(world: World, now: number, template: Recurring): void {
  template.count = nextNumber(world, template);
  const { klass, data, queue, priority, retries, next } = template;
  const jid = `${template.jid}-${template.count}`;
  const tags = [...template.tags];
  world.jobs.set(jid, {
    jid,
    klass,
    data,
    queue,
    state: "waiting",
    priority,
    retries,
    ownRetries: true,
    remaining: retries,
    tags,
    source: null,
    backoff: null,
    cutoff: null,
    context: null,
    spawnedFrom: template.jid,
    run: undefined,
    due: undefined,
    waitsFor: new Set(),
    history: [{ q: queue, what: "put", when: next / 1000 }],
    failure: undefined,
    firstFailure: undefined,
    turn: { lost: undefined, at: next, by: "birth", sequence: world.nextSequence() },
    since: next,
    completedAt: 0,
  });
  world.tag(now, jid, tags);
}

const recur: Rule = (world, now, [queue, jid, klass, data, _spec, interval, offset, ...rest]) => {
  const options = pairs(rest);
  if (world.crons.has(jid!)) throw new No("JID_TAKEN");
  return (reply) => {
    world.recurring.set(jid!, {
      jid: jid!,
      klass: klass!,
      data: data!,
      queue: queue!,
      priority: Number(options.get("priority") ?? 0),
      interval: inMs(interval),
      retries: Number(options.get("retries") ?? 0),
      backlog: Number(options.get("backlog") ?? 0),
      tags: [...new Set(list(options.get("tags")))],
      count: world.recurring.get(jid!)?.count ?? 0,
      next: now + inMs(offset),
      paused: world.recurring.get(jid!)?.paused,
    });
    world.makeKnown(queue!);
    assert.equal(reply, jid);
  };
};

const unrecur: Rule =
  (world, _now, [jid]) =>
  (reply) => {
    world.recurring.delete(jid!);
    assert.equal(reply, 1);
  };

const recurGet: Rule =
  (world, _now, [jid]) =>
  (reply) => {
    const found = world.recurring.get(jid!);
    if (found === undefined) return assert.equal(reply, false);
    const { interval, next, paused, ...told } = found;
    same(parsed(reply), {
      ...told,
      state: "recur",
      interval: interval / 1000,
      ...(paused === undefined ? { next: next / 1000 } : { paused: true }),
    });
  };

const recurUpdate: Rule = (world, _now, [jid, ...rest]) => {
  const options = pairs(rest);
  const template = recurringNamed(world, jid!);
  const interval = options.get("interval");
  if (interval !== undefined && inMs(interval) <= 0) throw new No("BAD_ARGUMENT");
  return (reply) => {
    if (interval !== undefined) {
      template.next += inMs(interval) - template.interval;
      template.interval = inMs(interval);
    }
    template.queue = options.get("queue") ?? template.queue;
    template.data = options.get("data") ?? template.data;
    template.klass = options.get("klass") ?? template.klass;
    template.priority = Number(options.get("priority") ?? template.priority);
    template.retries = Number(options.get("retries") ?? template.retries);
    template.backlog = Number(options.get("backlog") ?? template.backlog);
    world.makeKnown(template.queue, options.has("queue"));
    assert.equal(reply, 1);
  };
};

const recurPause: Rule = (world, now, [jid]) => {
  const template = recurringNamed(world, jid!);
  return (reply) => {
    assert.equal(reply, template.paused === undefined ? 1 : 0);
    template.paused ??= now;
  };
};

/** What was missed is not made up for, and the rhythm is kept. */
const recurUnpause: Rule = (world, now, [jid]) => {
  const template = recurringNamed(world, jid!);
  return (reply) => {
    assert.equal(reply, template.paused === undefined ? 0 : 1);
    if (template.paused === undefined) return;
    template.paused = undefined;
    while (template.next < now) template.next += template.interval;
  };
};

function retag(change: (tags: string[], given: string[]) => string[]): Rule {
  return (world, _now, [jid, ...given]) => {
    const template = recurringNamed(world, jid!);
    return (reply: Answered) => {
      template.tags = change(template.tags, given);
      same(parsed(reply), template.tags);
    };
  };
}

export const RECURRING_RULES: Record<string, Rule> = {
  recur,
  unrecur,
  "recur.get": recurGet,
  "recur.update": recurUpdate,
  "recur.pause": recurPause,
  "recur.unpause": recurUnpause,
  "recur.tag": retag((tags, given) => [...new Set([...tags, ...given])]),
  "recur.untag": retag((tags, given) => tags.filter((tag) => !given.includes(tag))),
};
