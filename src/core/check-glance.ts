import { isPlace } from "./check-findings.ts";
import { jobKey } from "./keys.ts";
import type { Absent, Store } from "./store.ts";

/** As much of a job as its place in rankings depends on; what cannot be read is left out. */
export interface Glance {
  state: string;
  queue: string;
  place: string | undefined;
  worker: string;
  tags: string[];
  source: string | Absent;
  group: string | undefined;
}

const GLANCED = ["klass", "data", "queue", "state", "place", "tags", "source", "group"];

/** Looks at a job; undefined when there is none, or too little of one. */
export function glance(store: Store, jid: string): Glance | undefined {
  const [klass, data, queue, state, place, tags, source, group] = store.fields(
    jobKey(jid),
    GLANCED,
  );
  if (klass === false || data === false || !isNamed(store, queue)) return undefined;
  const [what, worker] = store.text.split(state === false ? "waiting" : state!, 3);
  return {
    state: what!,
    queue,
    place: isPlace(store, place) ? place : undefined,
    worker: worker ?? "",
    tags: tags === false ? [] : (store.text.list(tags!) ?? []),
    source: source!,
    group: isNamed(store, group) ? group : undefined,
  };
}

/** Whether a field is there and can name something. */
export function isNamed(store: Store, field: string | Absent | undefined): field is string {
  return field !== false && field !== undefined && store.text.isName(field);
}

/** Whether a job of this state may have others to wait for; an unknown one is set right later. */
export function mayDepend(state: string): boolean {
  return state !== "running" && state !== "stalled" && state !== "complete" && state !== "failed";
}
