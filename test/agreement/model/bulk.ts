import { same } from "../compare.ts";
import { each, told } from "./batches.ts";
import { list, No, type Rule } from "./call.ts";
import { bringAgain, leaveFailures } from "./putting.ts";
import { freeAll } from "./uniques.ts";
import type { Job, World } from "./world.ts";

/** What is done to many jobs in one call, each judged on its own. */

const jobNamed = (world: World, jid: string): Job => {
  const job = world.jobs.get(jid);
  if (job === undefined) throw new No("NO_SUCH_JOB");
  return job;
};

/** Holds the answers to what is done to each job: once, though it may be named twice. */
function answered(reply: unknown, jids: string[], act: (jid: string) => string): void {
  const answers = new Map([...new Set(jids)].map((jid) => [jid, each(() => act(jid))]));
  same(
    (reply as string[]).map(told),
    jids.map((jid) => answers.get(jid)),
  );
}

const move: Rule =
  (world, now, [queue, ...jids]) =>
  (reply) =>
    answered(reply, jids, (jid) => {
      const job = jobNamed(world, jid);
      bringAgain(world, now, job, queue || job.queue);
      return job.state;
    });

const priorityMany: Rule =
  (world, _now, [priority, ...jids]) =>
  (reply) => {
    // Nine decimals may tell a little less or more than was given, and still mean the same number.
    const numbers = (reply as string[]).map((answer) =>
      /^[A-Z]/.test(answer) ? answer : String(Number(answer)),
    );
    answered(numbers, jids, (jid) => {
      const job = jobNamed(world, jid);
      job.priority = Number(priority);
      return String(job.priority);
    });
  };

const tagMany: Rule =
  (world, now, [verb, tags, ...jids]) =>
  (reply) =>
    answered(reply, jids, (jid) => {
      const job = jobNamed(world, jid);
      const given = list(tags);
      if (verb === "add") {
        job.tags = [...new Set([...job.tags, ...given])];
        world.tag(now, jid, given);
      } else {
        job.tags = job.tags.filter((tag) => !given.includes(tag));
        world.untag(jid, given);
      }
      return JSON.stringify(job.tags);
    });

/** Of the jobs named, those that nothing holds back: all that wait for them go as well. */
function cancelable(world: World, jids: string[]): Set<string> {
  const going = new Set(jids.filter((jid) => world.isOpen(jid)));
  const isHeld = (jid: string) => world.dependentsOf(jid).some((job) => !going.has(job.jid));
  for (let held = [...going].filter(isHeld); held.length > 0; held = [...going].filter(isHeld)) {
    for (const jid of held) going.delete(jid);
  }
  return going;
}

const cancelMany: Rule = (world, _now, jids) => (reply) => {
  const going = cancelable(world, jids);
  answered(reply, jids, (jid) => {
    const job = jobNamed(world, jid);
    if (job.state === "complete") throw new No("ALREADY_COMPLETE");
    if (!going.has(jid)) throw new No("HAS_DEPENDENTS");
    leaveFailures(world, job);
    freeAll(world, job);
    world.forget(job);
    return "canceled";
  });
};

export const BULK_RULES: Record<string, Rule> = {
  "cancel.many": cancelMany,
  move,
  "priority.many": priorityMany,
  "tag.many": tagMany,
};
