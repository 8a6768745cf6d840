import type { World } from "./world.ts";

/** What a command answers: text, number, nothing (`false`), or a list of these. */
export type Answered = string | number | false | Answered[];

/**
 * How the model plays a command: it throws `No` where it would refuse, and returns what is to be
 * done with the answer of an engine: compare it, and do the same to the world.
 */
export type Rule = (world: World, now: number, args: string[]) => (reply: Answered) => void;

/** A refusal that the model expects. */
export class No extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** `name value ...` by name. */
export function pairs(words: string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i < words.length; i += 2) found.set(words[i]!, words[i + 1]!);
  return found;
}

export const list = (json: string | undefined): string[] =>
  json === undefined ? [] : (JSON.parse(json) as string[]);

export const parsed = (reply: Answered): unknown => JSON.parse(reply as string);

export const inMs = (seconds: string | undefined): number =>
  Math.round(Number(seconds ?? 0) * 1000);

/** Splits words into parts that say themselves how many options follow their first `fixed`. */
export function parts(words: string[], fixed: number): { head: string[]; options: string[] }[] {
  const found: { head: string[]; options: string[] }[] = [];
  for (let at = 0; at < words.length; ) {
    const end = at + fixed + Number(words[at + fixed - 1]);
    found.push({ head: words.slice(at, at + fixed - 1), options: words.slice(at + fixed, end) });
    at = end;
  }
  return found;
}
