import { inMs, No } from "./call.ts";
import { land } from "./queue.ts";
import type { Hold, Job, World } from "./world.ts";

/** Unique keys: who holds them, and what becomes of a put that names one that is held. */

/** Who holds the key, unless its time is over. */
export function heldNow(world: World, now: number, key: string): Hold | undefined {
  const hold = world.holds.get(key);
  return typeof hold?.until === "number" && hold.until <= now ? undefined : hold;
}

export function keyOf(world: World, now: number, job: Job): string | null {
  const held = [...world.holds].find(([key, hold]) => hold.job === job && heldNow(world, now, key));
  return held?.[0] ?? null;
}

/** Lets go of what the job holds until one of these. */
export function letGo(world: World, job: Job, events: string[]): void {
  for (const [key, hold] of world.holds) {
    if (hold.job === job && events.includes(String(hold.until))) world.holds.delete(key);
  }
}

export function freeAll(world: World, job: Job): void {
  for (const [key, hold] of world.holds) if (hold.job === job) world.holds.delete(key);
}

/** Gives the job the key that the options name, if they name one. */
export function takeKey(world: World, now: number, job: Job, options: Map<string, string>): void {
  const key = options.get("unique");
  if (key === undefined) return;
  freeAll(world, job);
  const time = options.get("for");
  const until = time === undefined ? (options.get("until") ?? "complete") : now + inMs(time);
  world.holds.set(key, { jid: job.jid, job, until });
}

/** Whether the job is there, and nobody works on it or has done. */
const isIdle = (world: World, { jid, job }: Hold) =>
  world.jobs.get(jid) === job && job.state !== "running" && job.state !== "complete";

export interface Wish {
  jid: string;
  options: Map<string, string>;
}

export interface Met {
  /** The job that is put, or stays in its place. */
  jid: string;
  /** Whether the job is put, and if not, whether the put may change it. */
  act: "put" | "keep" | "change";
}

/** Which jobs these puts, made one after the other, are about; refuses what they must not touch. */
export function meetAll(world: World, now: number, wishes: Wish[]): Met[] {
  const holders = new Map<string, { jid: string; free: boolean; own: boolean }>();
  for (const key of world.holds.keys()) {
    const hold = heldNow(world, now, key);
    if (hold === undefined) continue;
    const own = world.jobs.get(hold.jid) === hold.job;
    holders.set(key, { jid: hold.jid, free: isIdle(world, hold), own });
  }
  const put = new Set<string>();
  return wishes.map(({ jid, options }) => {
    const isThere = world.jobs.has(jid) || put.has(jid);
    const isProtected = options.get("protect") === "1";
    if (isThere && options.get("exists") === "keep") return { jid, act: "keep" };
    if (isThere && options.get("exists") === "refuse") throw new No("JID_TAKEN");
    if (isThere && isProtected) throw new No("NOT_PERMITTED");
    const key = options.get("unique");
    const held = key === undefined ? undefined : holders.get(key);
    const target = held?.jid ?? jid;
    const conflict = options.get("conflict") ?? "keep";
    if (target !== jid && conflict !== "keep" && isProtected) throw new No("NOT_PERMITTED");
    const replaces = conflict === "replace" && (held?.free || put.has(target));
    if (target !== jid && !replaces) {
      return { jid: target, act: conflict === "data" || conflict === "time" ? "change" : "keep" };
    }
    put.add(target);
    if (key !== undefined) {
      for (const [other, { jid: by, own }] of holders) {
        if (by === target && own) holders.delete(other);
      }
      holders.set(key, { jid: target, free: true, own: true });
    }
    return { jid: target, act: "put" };
  });
}

/** Does to the holder of the key what a put that met it says; returns whether that changes it. */
export function change(
  world: World,
  now: number,
  { options, data, due }: { options: Map<string, string>; data: string; due: number },
): boolean {
  const hold = heldNow(world, now, options.get("unique")!);
  if (hold === undefined || !isIdle(world, hold)) return false;
  if (options.get("conflict") === "time") return changeTime(world, now, hold.job, due);
  hold.job.data = data;
  return true;
}

function changeTime(world: World, now: number, job: Job, due: number): boolean {
  if (job.state === "depends") {
    const before = job.due;
    job.due = due > now ? due : undefined;
    return before !== undefined || job.due !== undefined;
  }
  if (job.state !== "waiting" && job.state !== "scheduled") return false;
  const isDue = job.state === "waiting" || job.due! <= now;
  if (isDue && due <= now) return false;
  land(world, now, job, due);
  world.makeKnown(job.queue, false);
  return true;
}
