import { refusalFrom } from "../engine.ts";
import type { CallLimits, Calls } from "./calls.ts";

/** What became of one job of several: its new state or value, or why not. */
export type Answer = { ok: true; value: string } | { ok: false; error: Error };

/** The answer for one job, as batches give it: a text, or a refusal that begins with its code. */
export function answerFrom(text: string): Answer {
  const refusal = refusalFrom(text);
  return refusal === undefined ? { ok: true, value: text } : { ok: false, error: refusal };
}

/** @internal Moves one job; an empty queue is the one it is in. */
export async function moved(
  calls: Calls,
  queue: string,
  jid: string,
  limits?: CallLimits,
): Promise<void> {
  const [text] = (await calls.write("move", [queue, jid], limits)) as string[];
  const answer = answerFrom(text!);
  if (!answer.ok) throw answer.error;
}
