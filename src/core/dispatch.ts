import { checkedTime, readArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { enterEntry } from "./entry.ts";
import { currentNamespace, enterNamespace } from "./keys.ts";
import { refuse } from "./refuse.ts";
import { recallAnswer, rememberAnswer } from "./requests.ts";
import type { Store } from "./store.ts";
import type { Reply } from "./text.ts";

/** @noSelf */
export interface Call {
  namespace: string;
  /** `[now][@request]`: the time in seconds, empty for the engine's clock, and the request id. */
  when: string;
  argv: string[];
  /** The engine's clock in milliseconds, asked when the caller gives no time. */
  clock(): number;
  legacy?: boolean;
}

/** Checks a call and runs its command. Both engines and the legacy script come through here. */
export function perform(store: Store, command: Command, call: Call): Reply {
  if (call.namespace !== currentNamespace()) {
    if (!store.text.isNamespace(call.namespace)) refuse("BAD_ARGUMENT", NAMESPACE_RULE);
    enterNamespace(call.namespace);
  }
  enterEntry(call.legacy === true);
  if (call.when === "") {
    const options = readArguments(store, command, call.argv);
    return command.run(store, call.clock(), call.argv as never, options);
  }
  return performAt(store, command, call);
}

const NAMESPACE_RULE =
  "The namespace must be 1 to 64 letters, digits, dots, dashes or underscores, or these in braces";

function performAt(store: Store, command: Command, call: Call): Reply {
  const [time, request] = store.text.divide(call.when, "@");
  const now = time === "" ? call.clock() : readNow(store, time!);
  const options = readArguments(store, command, call.argv);
  if (request === undefined || !command.writes)
    return command.run(store, now, call.argv as never, options);

  if (!store.text.isName(request)) refuse("BAD_ARGUMENT", "The request id is not a name");
  const known = recallAnswer(store, request);
  if (known !== false) return store.text.unpack(known);
  const answer = command.run(store, now, call.argv as never, options);
  rememberAnswer(store, now, request, answer);
  return answer;
}

function readNow(store: Store, text: string): number {
  const seconds = store.text.number(text);
  if (seconds === undefined) return refuse("BAD_ARGUMENT", 'Arg "now" missing or not a number');
  return checkedTime("now", seconds);
}
