import assert from "node:assert";
import type { Job, World } from "./world.ts";

/** Which of two jobs comes first in a queue, as far as the specification says. */

/** Texts by their bytes, as rankings have them where scores tie. */
export const byBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Sorts by a number, and by the bytes of the jid where that ties. */
export function ranked<T extends { jid: string }>(list: T[], score: (item: T) => number): T[] {
  return list.toSorted((a, b) => score(a) - score(b) || byBytes(a.jid, b.jid));
}

/** Whether `a` must be handed out before `b`. Neither before the other means that both will do. */
export function precedes(world: World, a: Job, b: Job): boolean {
  const [turnA, turnB] = [a.turn, b.turn];
  if (turnA.lost !== undefined || turnB.lost !== undefined) {
    return turnB.lost === undefined || (turnA.lost !== undefined && turnA.lost < turnB.lost);
  }
  if (a.priority !== b.priority) {
    const highestFirst = world.config.get("priority-order") === "highest-first";
    return highestFirst ? a.priority > b.priority : a.priority < b.priority;
  }
  if (turnA.at !== turnB.at) return turnA.at < turnB.at;
  // Of jobs that were put and jobs that became due in one millisecond, either may be first.
  return turnA.by === turnB.by && turnA.by !== "birth" && turnA.sequence < turnB.sequence;
}

/** Holds a list of jids to the jobs that it may be of, and to their order. */
export function assertOrder(world: World, jids: string[], candidates: Job[]): Job[] {
  const left = new Map(candidates.map((job) => [job.jid, job]));
  return jids.map((jid) => {
    const job = left.get(jid);
    assert.ok(job !== undefined, `${jid} is not one of ${[...left.keys()].join(" ")}`);
    left.delete(jid);
    for (const other of left.values()) {
      assert.ok(!precedes(world, other, job), `${other.jid} comes before ${jid}`);
    }
    return job;
  });
}
