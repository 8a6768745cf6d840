import { randomFillSync } from "node:crypto";

/** Characters of time, which last until the year 5188. */
const TIME = 9;
/** Characters of chance, five bits each. */
const CHANCE = 14;
const DIGITS = Buffer.from("0123456789abcdefghijklmnopqrstuv");

/** Chance is drawn for many jids at once, since drawing it for each costs more than the rest. */
const pool = Buffer.alloc(CHANCE * 512);
let chance = "";
let used = 0;
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
  if (used === chance.length) draw();
  used += CHANCE;
  return lastTime + chance.slice(used - CHANCE, used);
}

function draw(): void {
  randomFillSync(pool);
  for (let i = 0; i < pool.length; i++) pool[i] = DIGITS[pool[i]! & 31]!;
  chance = pool.toString("latin1");
  used = 0;
}
