import type { Completion, RetryOptions } from "../client/running-job.ts";
import { invalid, seconds } from "../client/times.ts";

/** How a run ended, in the words of the command finish. */
export interface Outcome {
  verb: "complete" | "fail" | "retry";
  /** Its options, `name value ...`. */
  words: readonly (string | number)[];
}

const NOTHING: readonly never[] = [];

export const COMPLETE: Outcome = { verb: "complete", words: NOTHING };

/** A run that ended well, and what becomes of the job. */
export function completed(completion: Completion): Outcome {
  const { next, delay, depends, data } = completion;
  const words: (string | number)[] = [];
  if (data !== undefined) words.push("data", json(data));
  if (next !== undefined) words.push("next", next);
  if (delay !== undefined) words.push("delay", seconds(delay, "delay"));
  if (depends !== undefined) words.push("depends", JSON.stringify(depends));
  return words.length === 0 ? COMPLETE : { verb: "complete", words };
}

/** A run that failed for good. */
export function failed(group: string, message: string): Outcome {
  return { verb: "fail", words: ["group", name(group), "message", bounded(message)] };
}

/** A run to be tried again; `backoff` is for a job that has none, in a queue that has none. */
export function retried(options: RetryOptions & { backoff?: string } = {}): Outcome {
  const { delay, group, message, spend, backoff } = options;
  const words: (string | number)[] = [];
  if (delay !== undefined) words.push("delay", seconds(delay, "delay"));
  if (group !== undefined) words.push("group", name(group));
  if (message !== undefined) words.push("message", bounded(message));
  if (spend === false) words.push("spend", 0);
  if (backoff !== undefined) words.push("backoff", backoff);
  if (delay === undefined) words.push("lot", Math.random());
  return { verb: "retry", words };
}

function json(data: unknown): string {
  const text = JSON.stringify(data) as string | undefined;
  if (text !== undefined) return text;
  throw invalid(`What a job leaves behind must be data, not a ${typeof data}`);
}

/** Characters of a failure's message that are kept: enough for a stack and its causes. */
const MAX_MESSAGE = 16_384;

/** The text, with its middle left out if it is long. */
export function bounded(text: string): string {
  const whole = text.toWellFormed();
  if (whole.length <= MAX_MESSAGE) return whole;
  const half = MAX_MESSAGE / 2;
  const cut = `${whole.slice(0, half)}\n... ${whole.length - MAX_MESSAGE} characters ...\n`;
  return (cut + whole.slice(-half)).toWellFormed();
}

/** A group of failures as the core takes it: 1 to 255 bytes and no control characters. */
export function name(group: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  const clean = group.toWellFormed().replace(/[\u0000-\u001f\u007f]/g, " ");
  let end = Math.min(clean.length, 255);
  while (Buffer.byteLength(clean.slice(0, end)) > 255) end -= 1;
  return clean.slice(0, end).toWellFormed() || "failed";
}
