import { No } from "./call.ts";
import type { Job, World } from "./world.ts";

/** What the jobs of a batch will wait for once it is done. */
export type Planned = Map<string, string[]>;

/** Refuses when the job would wait for itself, be it through others. */
export function judgeCycle(world: World, jid: string, on: string[], planned: Planned = new Map()) {
  const seen = new Set<string>();
  const follow = (next: string) => {
    if (next === jid) throw new No("CYCLE");
    if (seen.has(next)) return;
    seen.add(next);
    const given = planned.get(next) ?? [];
    // A put without dependencies leaves those that the job has.
    const waitsFor = given.length > 0 ? given : (world.jobs.get(next)?.waitsFor ?? []);
    for (const further of waitsFor) follow(further);
  };
  on.forEach(follow);
}

/** Makes the job wait for those that exist and are not complete, or are about to be put. */
export function dependOn(world: World, job: Job, on: string[], planned: Planned = new Map()): void {
  for (const jid of on) {
    if (planned.has(jid) || world.isOpen(jid)) job.waitsFor.add(jid);
  }
}
