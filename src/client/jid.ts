import { randomFillSync } from "node:crypto";

/** Characters of time, which last until the year 5188. */
const TIME = 9;
/** Pairs of characters of chance, ten bits each. */
const PAIRS = 7;
const DIGITS = "0123456789abcdefghijklmnopqrstuv";
const TWO = Array.from({ length: 1024 }, (_, i) => DIGITS[i >> 5]! + DIGITS[i & 31]!);

/** Chance is drawn for many jids at once, since drawing it for each costs more than the rest. */
const pool = new Uint16Array(PAIRS * 512);
let used = pool.length;
let lastMs = 0;
let lastTime = "";

/**
 * A jid of 23 letters and digits that nobody else makes: the time and 70 bits of chance. It begins
 * with the time, so that jobs that are put together lie together on disk.
 */
export function newJid(): string {
  const now = Date.now();
  if (now !== lastMs) {
    lastMs = now;
    lastTime = now.toString(36).padStart(TIME, "0");
  }
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let jid = lastTime;
  for (let i = 0; i < PAIRS; i++) jid += TWO[pool[used++]! & 1023]!;
  return jid;
}
