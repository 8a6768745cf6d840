import { MAX_BATCH } from "./limits.ts";
import { refuse } from "./refuse.ts";
import { unique } from "./tags.ts";
import type { Reply } from "./text.ts";

/** What is answered for each job of a call, by a blank and its jid. */
export type Answers = { [blankAndJid: string]: string };

/** The jobs of a call, each once; refuses more than one call may name. */
export function eachOnce(jids: string[]): string[] {
  if (jids.length > MAX_BATCH) refuse("BAD_ARGUMENT", `More than ${MAX_BATCH} jobs in one call`);
  return unique(jids);
}

/** The answers in the order in which the jobs were named; who is named twice has the same twice. */
export function inOrder(jids: string[], answers: Answers): Reply[] {
  const replies: Reply[] = [];
  for (const jid of jids) replies.push(answers[" " + jid]!);
  return replies;
}
