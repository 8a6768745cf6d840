import { namespaceKey } from "./keys.ts";
import type { Store } from "./store.ts";

/**
 * Gives out leases, for every command that hands out jobs. No number is given twice in a namespace,
 * even after the data went back to an earlier state: a restart from a snapshot, a replica that was
 * promoted before it had everything, a backup that was restored.
 *
 * The count in the data may have lost the leases given last. So each VM or process remembers the last
 * lease that it gave. If the count is that lease, it goes on by one. If not, it jumps to the clock,
 * which offers more numbers per millisecond than any server can give out jobs. So whatever was lost
 * lies below. See docs/decisions/0023-leases-after-a-rollback.md.
 */

/** 2026-01-01T00:00:00Z, in milliseconds. */
const EPOCH_MS = 1767225600000;
/** Numbers per millisecond of the clock: more than one server can give out, and few digits. */
const PER_MS = 250;
/** The highest lease: whole numbers are exact up to here in Lua and in JavaScript. */
export const MAX_LEASE = 9007199254740991;
/**
 * How long a remembered lease counts after it was given, in milliseconds. Meanwhile another server
 * may have had the namespace, and may have lost it again with all that it gave out.
 */
const FRESH_MS = 1000;
/** Namespaces, besides the current one, whose last lease is remembered. */
const MAX_OTHERS = 256;

/** The last lease given here, when, and in which namespace of which store. */
let home: Store | undefined;
let namespace = "";
let last = -1;
let lastAt = 0;

/** The same for other namespaces of the store. A blank before the name keeps it off prototypes. */
let leases: { [namespace: string]: number } = {};
let times: { [namespace: string]: number } = {};
let others = 0;

/** The lease from which the clock goes on at that time; below 0 before the epoch. */
const leaseOfClock = (now: number) => (now - EPOCH_MS) * PER_MS;

/** Bytes that a lease given out at that time has as text, unless the clock was ahead before. */
export function leaseBytes(store: Store, now: number): number {
  return store.text.bytes(store.text.integer(Math.max(leaseOfClock(now), LEAST_RESERVED)));
}

/** Leases of clocks that are before the epoch are reckoned with eight digits. */
const LEAST_RESERVED = 10000000;

/** Takes that many leases and returns the number before the first of them. */
export function takeLeases(store: Store, now: number, wanted: number): number {
  const key = namespaceKey();
  let ends = store.increase(key, "lease", wanted);
  const isKnown =
    ends - wanted === last && key === namespace && now - lastAt < FRESH_MS && store === home;
  if (!isKnown) ends = afterOthers(store, now, key, wanted, ends);
  last = ends;
  lastAt = now;
  return ends - wanted;
}

/** Makes the leases just taken, which end here, come after every other; returns where they end then. */
function afterOthers(store: Store, now: number, key: string, wanted: number, ends: number): number {
  recall(store, key);
  const before = ends - wanted;
  if (before === last && now - lastAt < FRESH_MS) return ends;
  const clock = leaseOfClock(now);
  return before < clock ? store.increase(key, "lease", clock - before) : ends;
}

/** Makes this the namespace whose last lease is at hand, and puts the one before it aside. */
function recall(store: Store, key: string): void {
  if (store !== home) {
    home = store;
    forgetOthers();
  } else if (key !== namespace) {
    if (others >= MAX_OTHERS) forgetOthers();
    const before = " " + namespace;
    if (leases[before] === undefined) others += 1;
    leases[before] = last;
    times[before] = lastAt;
  } else return;
  namespace = key;
  last = leases[" " + key] ?? -1;
  lastAt = times[" " + key] ?? 0;
}

function forgetOthers(): void {
  leases = {};
  times = {};
  others = 0;
}
