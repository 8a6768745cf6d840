import type { Calls } from "../client/calls.ts";
import { invalid } from "../client/times.ts";

/** A namespace as lines of JSON: a heading, what dump tells entry by entry, and an end. */

/** The form of the lines; one that reads them knows it, or refuses. */
const FORM = 1;

export interface Entry {
  key: string;
  record?: string[];
  ranking?: string[];
}

interface Heading {
  qless: "export";
  form: number;
  namespace: string;
  at: string;
}

export const headingLine = (namespace: string) =>
  JSON.stringify({ qless: "export", form: FORM, namespace, at: new Date().toISOString() });

/** Without it, the lines were cut off. */
export const endLine = (entries: number) => JSON.stringify({ end: true, entries });

/** Everything in the namespace, a slice at a time. */
export async function* slicesOf(calls: Calls): AsyncGenerator<Entry[], void, undefined> {
  let cursor = "0";
  do {
    type Slice = { cursor: string; entries: Entry[] };
    const slice = await calls.json<Slice>("dump", [cursor]);
    if (slice.entries.length > 0) yield slice.entries;
    cursor = slice.cursor;
  } while (cursor !== "0");
}

/** Whether there is nothing yet but the namespace itself. */
export async function isEmpty(calls: Calls): Promise<boolean> {
  for await (const entries of slicesOf(calls)) {
    if (entries.some(({ key }) => key !== "")) return false;
  }
  return true;
}

/** Reads lines one after the other, and knows whether they are whole. */
export class Reader {
  entries = 0;
  #hasHeading = false;
  #end: number | undefined;

  /** The entry on a line; undefined for the heading and the end. */
  read(text: string, number: number): Entry | undefined {
    const line = parsed(text, number);
    if (!this.#hasHeading) {
      checkHeading(line);
      this.#hasHeading = true;
      return undefined;
    }
    if (this.#end !== undefined) throw invalid(`Line ${number} comes after the end of the export`);
    if (line.end === true) {
      this.#end = Number(line.entries);
      return undefined;
    }
    this.entries += 1;
    return entryFrom(line, number);
  }

  /** Refuses lines that were cut off. */
  checkEnd(): void {
    if (!this.#hasHeading) throw invalid(NO_EXPORT);
    if (this.#end === this.entries) return;
    throw invalid("The export ends in the middle: export again, to a disk with room");
  }
}

const NO_EXPORT = "This is no export of qless: its first line must be that of qless export";

type Line = Record<string, unknown>;

function parsed(text: string, number: number): Line {
  try {
    const line: unknown = JSON.parse(text);
    if (typeof line === "object" && line !== null) return line as Line;
  } catch {
    // Told below, as what is JSON and no object.
  }
  throw invalid(number === 1 ? NO_EXPORT : `Line ${number} is not an entry of an export`);
}

function checkHeading(line: Line): void {
  const { qless, form } = line as Partial<Heading>;
  if (qless !== "export") throw invalid(NO_EXPORT);
  if (form === FORM) return;
  throw invalid(`The export has form ${form}, and this qless reads form ${FORM}: update it`);
}

function entryFrom(line: Line, number: number): Entry {
  const { key, record, ranking } = line;
  const flat = record ?? ranking;
  const isTold = Array.isArray(flat) && flat.every((word) => typeof word === "string");
  if (typeof key === "string" && isTold && flat.length % 2 === 0) return line as unknown as Entry;
  throw invalid(`Line ${number} is not an entry of an export`);
}

/** The words of restore for an entry. */
export function wordsOf({ key, record, ranking }: Entry): (string | number)[] {
  const flat = record ?? ranking!;
  return [key, record === undefined ? "ranking" : "record", flat.length, ...flat];
}
