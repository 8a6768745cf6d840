import { readArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { currentNamespace, enterNamespace } from "./keys.ts";
import { deadline } from "./lateness.ts";
import { judgeLayout, markLayout } from "./layout.ts";
import { checkedTime } from "./numbers.ts";
import { refuse } from "./refuse.ts";
import { recallAnswer, rememberAnswer } from "./requests.ts";
import type { Store } from "./store.ts";
import type { Reply } from "./text.ts";

/**
 * Checks a call and runs its command. Both engines and the legacy script come through here.
 *
 * `when` is `[now][<deadline][@request]`: the time in seconds, empty for the engine's clock, the time
 * from which the call hands out no jobs, and the request id. It is the first of the words. `clock`
 * returns the engine's time in milliseconds. The words behind it are the arguments; they are read in
 * place.
 */
export function perform(
  store: Store,
  command: Command,
  namespace: string,
  words: string[],
  clock: (this: void) => number,
): Reply {
  if (namespace !== currentNamespace()) {
    if (!store.text.isNamespace(namespace)) refuse("BAD_ARGUMENT", NAMESPACE_RULE);
    enterNamespace(namespace);
  }
  const when = words[0]!;
  if (when === "") deadline.at = Infinity;
  else if (when === lastDeadline) deadline.at = lastDeadlineAt;
  else return performAt(store, command, words, clock);
  const args = readArguments(store, command, words);
  if (command.judgesLayout !== true) return runJudged(store, command, clock(), args);
  return command.run(store, clock(), args as never, args[command.takes.length] as never);
}

/** Runs a command that does not see by itself whose data it works on. */
function runJudged(store: Store, command: Command, now: number, args: unknown[]): Reply {
  const isMarked = command.judgesLayout === true || judgeLayout(store);
  const answer = command.run(store, now, args as never, args[command.takes.length] as never);
  if (!isMarked && command.writes) markLayout(store);
  return answer;
}

const NAMESPACE_RULE =
  "The namespace must be 1 to 64 letters, digits, dots, dashes or underscores, or these in braces";

/** The last envelope that had only a deadline: a worker repeats it in the calls of a second. */
let lastDeadline = "<";
let lastDeadlineAt = Infinity;

function performAt(
  store: Store,
  command: Command,
  words: string[],
  clock: (this: void) => number,
): Reply {
  const [times, request] = store.text.divide(words[0]!, "@");
  const [time, until] = store.text.divide(times!, "<");
  deadline.at = until === undefined ? Infinity : readTime(store, "deadline", until);
  if (request === undefined && time === "") {
    lastDeadline = times!;
    lastDeadlineAt = deadline.at;
  }
  const now = time === "" ? clock() : readTime(store, "now", time!);
  const args = readArguments(store, command, words);
  if (request === undefined || !command.writes) return runJudged(store, command, now, args);

  if (!store.text.isName(request)) refuse("BAD_ARGUMENT", "The request id is not a name");
  const known = recallAnswer(store, request);
  if (known !== false) return store.text.unpack(known);
  const answer = runJudged(store, command, now, args);
  rememberAnswer(store, now, request, answer);
  return answer;
}

function readTime(store: Store, name: string, text: string): number {
  const seconds = store.text.number(text);
  if (seconds === undefined) {
    return refuse("BAD_ARGUMENT", `Arg "${name}" missing or not a number`);
  }
  return checkedTime(name, seconds);
}
