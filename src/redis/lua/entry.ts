import type { Command } from "../../core/command.ts";
import { damaged, UNNAMED } from "../../core/damage.ts";
import { perform } from "../../core/dispatch.ts";
import { refuseWith } from "../../core/refuse.ts";
import { asked, clock } from "./clock.ts";
import { checkBatch, checkJson } from "./given-json.ts";
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
  return done ? reply : redis.error_reply(refusalText(reply, words));
}

const NO_NAMESPACE = "BAD_ARGUMENT The namespace is the one key, and the time the first argument";

/** As `answer`, for Lua around it: raises what is refused. */
export function call(command: Command, namespace: string, words: string[]): unknown {
  checkJson(command, words, 1);
  if (command.takes[1] !== undefined && command.takes[1][0] === "jobs") checkBatch(words, 2);
  const [done, reply] = pcall(perform, store, command, namespace, words, clock);
  return done ? reply : refuseWith(refusalText(reply, words));
}

/** The text of an error. Redis does not name the key that it found damaged, so this searches it. */
export function refusalText(thrown: unknown, words: readonly unknown[]): string {
  const text = errorText(thrown);
  if (string.find(text, "WRONGTYPE", 1, true)[0] === undefined) return text;
  // The user may lack the rights for the search.
  const [done, refusal] = pcall(damaged, store, words);
  return done ? (refusal as string) : UNNAMED;
}

/** Redis' own pcall hands back a thrown `{ err }` as its text; Lua's as it was thrown. */
export function errorText(thrown: unknown): string {
  return type(thrown) === "table" ? (thrown as { err: string }).err : tostring(thrown);
}
