import { rankingOf } from "./check-ranking.ts";
import { namespaceKey, namespacePrefix } from "./keys.ts";
import type { Store } from "./store.ts";
import { includes } from "./tags.ts";

/**
 * What dump and restore carry from one namespace to another: everything that belongs to jobs, queues
 * and settings, by the names of keys. What belongs to those who are connected stays behind: the
 * answers to requests, and what workers say of themselves and wait for.
 */

/**
 * What is kept under a name: a record's fields, or a ranking's members. A strip goes as a
 * record that has its text in one field.
 */
export type Shape = "record" | "ranking";

const STRIPS = "s:noted:";
export const isStrip = (store: Store, name: string) => store.text.startsWith(name, STRIPS);

/** The field that a strip goes as. */
export const STRIP_FIELD = "text";

const RECORDS = ["j:", "r:", "cron:", "queue:", "s:", "unique:"];
/** Rankings that check has no word about. */
const RANKINGS = ["workers", "releasing"];

/** What the namespace itself is called: its key has no name behind the prefix. */
export const NAMESPACE = "";

/** The key of what is carried under a name. */
export const keyOf = (name: string) =>
  name === NAMESPACE ? namespaceKey() : namespacePrefix() + name;

/** The shape of what is carried under a name; undefined when nothing is. */
export function shapeOf(store: Store, name: string): Shape | undefined {
  if (name === NAMESPACE || name === "config") return "record";
  for (const start of RECORDS) {
    if (store.text.startsWith(name, start) && name !== start) return "record";
  }
  if (name === "requests") return undefined;
  if (includes(RANKINGS, name)) return "ranking";
  return rankingOf(store, keyOf(name)) === undefined ? undefined : "ranking";
}
