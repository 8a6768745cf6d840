import { randomBytes } from "node:crypto";

/** Characters of time, which last until the year 5188, and of chance: 67 bits. */
const TIME = 9;
const CHANCE = 13;
/** Bytes of chance that are drawn at once, since drawing them one by one costs more. */
const POOL = 4096;

let pool = Buffer.alloc(0);
let used = 0;

/**
 * A jid of 22 letters and digits that nobody else makes. It begins with the time, so that jobs that
 * are put together lie together on disk.
 */
export function newJid(): string {
  let chance = "";
  while (chance.length < CHANCE) chance += piece();
  return Date.now().toString(36).padStart(TIME, "0") + chance.slice(0, CHANCE);
}

/** Four bytes of chance as six or seven digits to the base 36. */
function piece(): string {
  if (used + 4 > pool.length) {
    pool = randomBytes(POOL);
    used = 0;
  }
  const value = pool.readUInt32LE(used);
  used += 4;
  return value.toString(36).padStart(7, "0").slice(1);
}
