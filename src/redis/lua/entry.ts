import type { Command } from "../../core/command.ts";
import { perform } from "../../core/dispatch.ts";
import { asked, clock } from "./clock.ts";
import { store } from "./store.ts";

/**
 * Runs a command for a function or a script; the words are the time of the call and the arguments.
 */
export function answer(command: Command, keys: string[], words: string[]): unknown {
  const namespace = keys[0];
  const when = words[0];
  if (namespace === undefined || when === undefined) return redis.error_reply(NO_NAMESPACE);
  // It may bring its own time, and then the server's is that of an earlier call.
  if (when !== "") asked.at = -1;
  const [done, reply] = pcall(perform, store, command, namespace, words, clock);
  return done ? reply : redis.error_reply(errorText(reply));
}

const NO_NAMESPACE = "BAD_ARGUMENT The namespace is the one key, and the time the first argument";

/** As `answer`, for Lua around it: raises what is refused. */
export function call(command: Command, namespace: string, words: string[]): unknown {
  return perform(store, command, namespace, words, clock);
}

/** Redis' own pcall hands back a thrown `{ err }` as its text; Lua's as it was thrown. */
export function errorText(thrown: unknown): string {
  return type(thrown) === "table" ? (thrown as { err: string }).err : tostring(thrown);
}
