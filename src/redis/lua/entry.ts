import type { Command } from "../../core/command.ts";
import { perform } from "../../core/dispatch.ts";
import { store } from "./store.ts";
import { digits } from "./text.ts";

let lastSeconds = "";
let lastMs = 0;

/**
 * The server's clock, in whole milliseconds. Reading its seconds again for every call would be a
 * waste.
 */
export function clock(): number {
  const time = redis.call("TIME") as [string, string];
  const seconds = time[0];
  if (seconds !== lastSeconds) {
    lastSeconds = seconds;
    lastMs = digits(seconds) * 1000;
  }
  return lastMs + math.floor(digits(time[1]) / 1000);
}

/**
 * Runs a command for a function or a script; the words are the time of the call and the arguments.
 */
export function answer(command: Command, namespace: string, words: string[]): unknown {
  const [done, reply] = pcall(perform, store, command, namespace, words, clock);
  return done ? reply : redis.error_reply(errorText(reply));
}

/** As `answer`, for Lua around it: raises what is refused. */
export function call(command: Command, namespace: string, words: string[]): unknown {
  return perform(store, command, namespace, words, clock);
}

/** Redis' own pcall hands back a thrown `{ err }` as its text; Lua's as it was thrown. */
export function errorText(thrown: unknown): string {
  return type(thrown) === "table" ? (thrown as { err: string }).err : tostring(thrown);
}
