import { type Findings, found, STRAY, UNTOLD } from "./check-findings.ts";
import { glance, mayDepend } from "./check-glance.ts";
import { setRare } from "./job.ts";
import { dependenciesKey, dependentsKey, jobKey, releasingKey } from "./keys.ts";
import type { Store } from "./store.ts";

/**
 * What a job waits for is its own list, `dependencies:`; `dependents:` is the way back from there.
 * So what only the list says is added to the way back, and what only the way back says is dropped.
 * A job whose list comes to nothing is let go when its record is checked.
 */

/** What is wrong about the job's waiting for the other one. */
export function judgeDependency(store: Store, jid: string, dependency: string): string {
  const job = glance(store, jid);
  if (job === undefined || !mayDepend(job.state)) return STRAY;
  const other = glance(store, dependency);
  const told = store.score(dependentsKey(dependency), jid) !== false;
  if (other !== undefined && other.state !== "complete") return told ? "" : UNTOLD;
  const letGoSoon = told && store.score(releasingKey(), dependency) !== false;
  return letGoSoon ? "" : STRAY;
}

/** Makes the other one know that the job waits for it. */
export function tellDependency(store: Store, now: number, jid: string, dependency: string): void {
  store.rank(dependentsKey(dependency), [now, jid]);
  setRare(store, dependency, ["awaited", "1"]);
}

/** What is wrong about a way back. */
export function judgeDependent(store: Store, jid: string, dependent: string): string {
  return store.score(dependenciesKey(dependent), jid) === false ? STRAY : "";
}

/** Checks that a job for which others wait knows it. */
export function checkAwaited(store: Store, findings: Findings, jid: string): void {
  const [klass, awaited] = store.fields(jobKey(jid), ["klass", "awaited"]);
  if (klass === false || awaited !== false) return;
  if (found(store, findings, jid, "it does not know that others wait for it")) {
    setRare(store, jid, ["awaited", "1"]);
  }
}
