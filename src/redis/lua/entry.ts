import type { Command } from "../../core/command.ts";
import { perform } from "../../core/dispatch.ts";
import { asked, clock } from "./clock.ts";
import { store } from "./store.ts";

/**
 * Runs a command for a function or a script; the words are the time of the call and the arguments.
 */
export function answer(command: Command, namespace: string, words: string[]): unknown {
  // It may bring its own time, and then the server's is that of an earlier call.
  if (words[0] !== "") asked.at = -1;
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
