import { digits } from "./text.ts";

/** The server's time in this call, in whole milliseconds; below zero while it was not asked for. */
export const asked = { at: -1 };

let lastSeconds = "";
let lastMs = 0;

/** Asks for it. Reading its seconds again for every call would be a waste. */
export function clock(): number {
  const time = redis.call("TIME") as [string, string];
  const seconds = time[0];
  if (seconds !== lastSeconds) {
    lastSeconds = seconds;
    lastMs = digits(seconds) * 1000;
  }
  const micros = digits(time[1]);
  // Rounding down is a call of a function in Lua, a remainder is not.
  const at = lastMs + (micros - (micros % 1000)) / 1000;
  asked.at = at;
  return at;
}
