import type { Options } from "./command.ts";
import { refuse } from "./refuse.ts";
import { shown } from "./shown.ts";
import type { Store } from "./store.ts";

/** What may be asked of the jobs that are searched for; all of it must hold. */
export const SEARCH_OPTIONS = [
  ["state", "text"],
  ["queue", "name"],
  ["klass", "name"],
  ["tag", "name"],
  ["source", "name"],
  ["group", "name"],
  ["jid", "name"],
  ["from", "time"],
  ["to", "time"],
  ["order", "text"],
] as const;

export type Criteria = Options<typeof SEARCH_OPTIONS>;

const STATES = ["waiting", "running", "stalled", "scheduled", "depends", "complete", "failed"];
const ORDERS = ["newest", "oldest"];

/** Refuses criteria that no job could be judged by. */
export function judgeCriteria(store: Store, { state, order }: Criteria): void {
  if (state !== undefined) judgeWord(store, "state", state, STATES);
  if (order !== undefined) judgeWord(store, "order", order, ORDERS);
}

function judgeWord(store: Store, name: string, word: string, known: string[]): void {
  for (const one of known) if (one === word) return;
  refuse("BAD_ARGUMENT", `Arg "${name}" must be ${known.join(", ")}, not ${shown(store, word)}`);
}

/** The criteria as texts in a fixed order, so that a cursor can say what it belongs to. */
export function criteriaTexts(store: Store, criteria: Criteria): string[] {
  const { text } = store;
  const { state, queue, klass, tag, source, group, jid, from, to, order } = criteria;
  return [
    state ?? "",
    queue ?? "",
    klass ?? "",
    tag ?? "",
    source ?? "",
    group ?? "",
    jid ?? "",
    from === undefined ? "" : text.integer(from),
    to === undefined ? "" : text.integer(to),
    order ?? "",
  ];
}
