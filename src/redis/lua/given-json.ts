import type { Command } from "../../core/command.ts";
import { refuse } from "../../core/refuse.ts";

/**
 * Checks that data is JSON where no client does: on the legacy entry, and for scripts of one's own.
 * Otherwise every client that parses its answers would fail on the job, after it was locked.
 */

/** Text of the caller's in an error: a line break in it would be one in the reply. */
export const cleaned = (text: string) => string.gsub(text, "%c", " ")[0];

function isJson(text: string): boolean {
  const [decoded] = pcall(cjson.decode, text);
  return decoded;
}

/** Refuses what is no JSON among the words of a call, whose arguments begin at `from`. */
export function checkJson({ takes, options }: Command, words: string[], from: number): void {
  for (let i = 0; i < takes.length; i++) {
    const [name, kind, optional] = takes[i]!;
    const given = words[from + i];
    const isLeftOut = given === undefined || (given === "" && optional !== undefined);
    if (kind === "json" && !isLeftOut && !isJson(given!)) {
      refuse("BAD_ARGUMENT", `Arg "${name}" missing or not JSON: ` + cleaned(given!));
    }
  }
  for (let i = from + takes.length; i + 1 < words.length; i += 2) {
    for (const [name, kind] of options) {
      if (kind === "json" && words[i] === name && !isJson(words[i + 1]!)) {
        refuse("BAD_ARGUMENT", `Arg "${name}" is not JSON-encoded: ` + cleaned(words[i + 1]!));
      }
    }
  }
}

/** Words of a job in put.many up to its options, and of one that repeats those of the last. */
const FIXED = 6;
const SAME_WORDS = 3;

/** As `checkJson`, of the data of each job in the words of a put.many behind `from`. */
export function checkBatch(words: string[], from: number): void {
  let at = from;
  while (at < words.length) {
    const isSame = words[at] === "\t";
    const data = words[at + (isSame ? 2 : 3)];
    if (data !== undefined && !isJson(data)) {
      refuse(
        "BAD_ARGUMENT",
        `The data of job ${cleaned(words[at + 1]!)} is not JSON: ` + cleaned(data),
      );
    }
    const count = isSame ? 0 : tonumber(words[at + FIXED - 1] ?? "0");
    // The command itself refuses a count that is none.
    if (count === undefined || count < 0) return;
    at += isSame ? SAME_WORDS : FIXED + count;
  }
}
