import { createReadStream, type ReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { invalid } from "../client/times.ts";

/** Where words come from that are not typed: `-` is the standard input, `@file` a file. */

/** Bytes that one job's data may have. */
const MAX_BYTES = 67_108_864;

/** The text that a word names, or is. */
export async function textIn(word: string): Promise<string> {
  if (word === "-") return wholeOf(process.stdin.setEncoding("utf8"));
  if (!word.startsWith("@")) return word;
  const file = word.slice(1);
  await sizeOf(file);
  return wholeOf(opened(file));
}

/** All that comes, up to what a job may carry: there may be no end to it. */
async function wholeOf(input: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of input) {
    text += chunk;
    if (text.length > MAX_BYTES) {
      throw invalid(`Data may have ${MAX_BYTES} bytes at most: keep what is larger elsewhere`);
    }
  }
  return text;
}

/** The bytes of a file, or a sentence if it cannot be read. */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw invalid(`${file} cannot be read: ${error.code ?? error.message}`);
  });
  if (found.isDirectory()) throw invalid(`${file} is a folder: name a file`);
  return found.size;
}

const opened = (file: string): ReadStream => createReadStream(file, { encoding: "utf8" });

export interface Line {
  number: number;
  text: string;
}

/** Characters of one line, which may be a job with its data. */
const MAX_LINE = 4 * MAX_BYTES;

/**
 * The lines of a file, or of the standard input where none is named; empty ones are passed over.
 * Node's own reader would also cut at separators that JSON may hold as they are.
 */
export async function* linesIn(file: string | undefined): AsyncGenerator<Line, void, undefined> {
  const input = file === undefined ? process.stdin.setEncoding("utf8") : opened(file);
  let number = 0;
  let rest = "";
  for await (const chunk of input) {
    const lines = (rest + (chunk as string)).split("\n");
    rest = lines.pop()!;
    if (rest.length > MAX_LINE) throw invalid(`Line ${number + 1} is too long`);
    for (const line of lines) {
      number += 1;
      if (line.trim() !== "") yield { number, text: withoutReturn(line) };
    }
  }
  if (rest.trim() !== "") yield { number: number + 1, text: withoutReturn(rest) };
}

const withoutReturn = (line: string) => (line.endsWith("\r") ? line.slice(0, -1) : line);

/** The text, if it is JSON; `about` is what an error calls it. */
export function checkedJson(given: string, about: string): string {
  try {
    JSON.parse(given);
    return given;
  } catch (error) {
    const why = (error as Error).message;
    throw invalid(`${about} must be JSON (${why}): such as '{"to":"ada"}', or '"a text"'`);
  }
}
