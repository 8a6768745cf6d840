import { asked } from "./clock.ts";
import { isSharded } from "./sharding.ts";

/**
 * Announcing to nobody costs as much as any other call of Redis, and putting the announcement into
 * words as much again. So where one was heard by nobody, the next ones to that channel are spared
 * for some milliseconds; who begins to listen meanwhile hears the later ones. Redis counts only who
 * listens at the same server, so where there are replicas it is never taken for silent, unless the
 * channel is sharded: those are to be heard at the primary. In scripts, which remember nothing, it
 * is not either.
 */
const SILENT_MS = 5;
/** For how long it is known whether the server is alone, in milliseconds. */
const ALONE_MS = 1000;
/** Redis writes down who asks for what they may not, so they do not ask again soon. */
const REFUSED_MS = 60_000;

/** The channel that is asked about: there is one. */
let channel = "";
/** When an announcement there was first heard by nobody; below zero before. */
let firstAt = -1;
let silentFrom = 0;
let silentTo = 0;
let isAlone = false;
let knownFrom = 0;
let knownTo = 0;

/** Whether somebody may hear what is announced there. */
export function mayHear(asking: string): boolean {
  if (asking !== channel) {
    channel = asking;
    firstAt = -1;
    silentTo = 0;
    return true;
  }
  const now = asked.at;
  return now < silentFrom || now >= silentTo;
}

/** Notes that an announcement was heard by nobody here. */
export function noteUnheard(unheard: string): void {
  const now = asked.at;
  if (unheard !== channel || now < 0) return;
  // A script is over before the clock goes on.
  if (firstAt < 0) firstAt = now;
  if (now === firstAt) return;
  if (!isSharded(unheard)) {
    if (now < knownFrom || now >= knownTo) askWhetherAlone(now);
    if (!isAlone) return;
  }
  silentFrom = now;
  silentTo = now + SILENT_MS;
}

function askWhetherAlone(now: number): void {
  const told = redis.pcall("INFO", "replication", "cluster");
  const isTold = type(told) === "string";
  isAlone =
    isTold && says(told as string, "role:master", "connected_slaves:0", "cluster_enabled:0");
  knownFrom = now;
  knownTo = now + (isTold ? ALONE_MS : REFUSED_MS);
}

function says(told: string, ...facts: string[]): boolean {
  for (const fact of facts) {
    if (string.find(told, fact + "\r\n", 1, true)[0] === undefined) return false;
  }
  return true;
}
