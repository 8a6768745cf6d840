import { lengthFrom } from "./format.ts";
import { type Criteria, STATES, type State } from "./shapes.ts";

/** The language of the search: `state:failed klass:email.send tag:acme since:2h`. */

export const FIELDS = [
  "state",
  "queue",
  "klass",
  "tag",
  "source",
  "group",
  "jid",
  "since",
  "until",
  "order",
] as const;
export type Field = (typeof FIELDS)[number];

/** One word of the filter. */
export interface Term {
  field: Field;
  value: string;
}

export interface Filter {
  terms: Term[];
  /** What could not be understood, each in one sentence. */
  problems: string[];
}

const WORD = /([a-z]+):(?:"((?:[^"\\]|\\.)*)"|(\S+))|"((?:[^"\\]|\\.)*)"|(\S+)/g;

/** Reads a filter; a word without a field is part of a jid. */
export function filterFrom(text: string): Filter {
  const terms: Term[] = [];
  const problems: string[] = [];
  for (const [, name, quoted, plain, bareQuoted, bare] of text.matchAll(WORD)) {
    const value = quoted === undefined ? plain : unquoted(quoted);
    if (name === undefined || value === undefined) {
      terms.push({ field: "jid", value: bareQuoted === undefined ? bare! : unquoted(bareQuoted) });
    } else if (!(FIELDS as readonly string[]).includes(name)) {
      problems.push(`There is no field ${name}; there are ${FIELDS.join(", ")}.`);
    } else {
      const term = { field: name as Field, value };
      const problem = problemOf(term);
      if (problem !== undefined) problems.push(problem);
      else terms.push(term);
    }
  }
  const twice = terms.find((one, i) => terms.findIndex(({ field }) => field === one.field) < i);
  if (twice !== undefined) problems.push(`${twice.field} can be given once.`);
  return { terms, problems };
}

const unquoted = (text: string) => text.replaceAll(/\\(.)/g, "$1");

function problemOf({ field, value }: Term): string | undefined {
  if (field === "state" && !STATES.includes(value as State)) {
    return `There is no state ${value}; there are ${STATES.join(", ")}.`;
  }
  if (field === "order" && value !== "newest" && value !== "oldest") {
    return "order is newest or oldest.";
  }
  if ((field === "since" || field === "until") && momentFrom(value, 0) === undefined) {
    return `${field} is a length of time such as 2h, or a date such as 2026-05-01.`;
  }
  return undefined;
}

/** A length of time before now, or a date. */
function momentFrom(value: string, now: number): number | undefined {
  const ago = lengthFrom(value);
  if (ago !== undefined) return Math.max(0, Math.floor(now - ago));
  const date = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date / 1000;
}

export const wordOf = ({ field, value }: Term) =>
  /^[^\s":]+$/.test(value) && value !== ""
    ? `${field}:${value}`
    : `${field}:"${value.replaceAll(/["\\]/g, "\\$&")}"`;

export const textOf = (terms: readonly Term[]) => terms.map(wordOf).join(" ");

/** A filter of some fields, for links. */
export const filterText = (fields: Partial<Record<Field, string>>) =>
  textOf(Object.entries(fields).map(([field, value]) => ({ field: field as Field, value })));

/** What the server is asked for. */
export function criteriaOf(terms: readonly Term[], now: number): Criteria {
  const criteria: Record<string, string | number> = {};
  for (const { field, value } of terms) {
    if (field === "since") criteria.from = momentFrom(value, now)!;
    else if (field === "until") criteria.to = momentFrom(value, now)!;
    else criteria[field] = value;
  }
  return criteria as Criteria;
}
