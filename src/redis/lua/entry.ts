import type { Command } from "../../core/command.ts";
import { perform } from "../../core/dispatch.ts";
import { store } from "./store.ts";

/** The server's clock, in whole milliseconds. */
export function clock(): number {
  const [seconds, micros] = redis.call("TIME") as [string, string];
  return tonumber(seconds)! * 1000 + math.floor(tonumber(micros)! / 1000);
}

/** Runs a command for a function or a script; `argv` begins behind the time of the call. */
export function answer(command: Command, namespace: string, when: string, argv: string[]): unknown {
  const [done, reply] = pcall(perform, store, command, { namespace, when, argv, clock });
  return done ? reply : redis.error_reply(errorText(reply));
}

/** As `answer`, for Lua around it: raises what is refused. */
export function call(command: Command, namespace: string, when: string, argv: string[]): unknown {
  return perform(store, command, { namespace, when, argv, clock });
}

/** Redis' own pcall hands back a thrown `{ err }` as its text; Lua's as it was thrown. */
export function errorText(thrown: unknown): string {
  return type(thrown) === "table" ? (thrown as { err: string }).err : tostring(thrown);
}
