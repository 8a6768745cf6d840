import { hasDependent, judgeState } from "./canceling.ts";
import { noSuchJob, stateIn } from "./job.ts";
import { dependentsKey, jobKey } from "./keys.ts";
import { MAX_VISITS } from "./limits.ts";
import type { Store } from "./store.ts";

/**
 * Which jobs of a call cannot be canceled. A job can when all that wait for it are in the call and
 * can be as well; so those who wait are judged first, whatever the order of the call. The order in
 * which the jobs are then removed makes no difference.
 */
interface Judging {
  /** The jobs of the call, by a blank and the jid, and how far each is judged. */
  stages: { [blankAndJid: string]: "named" | "open" | "judged" };
  refusals: Refusals;
  /** Who waits for a job of the call that is being judged. */
  dependents: { [blankAndJid: string]: string[] };
  visits: number;
}

type Refusals = { [blankAndJid: string]: string };

/** The refusals of those jobs that cannot be canceled together with the others. */
export function judgeCancels(store: Store, jids: string[]): Refusals {
  const judging: Judging = { stages: {}, refusals: {}, dependents: {}, visits: 0 };
  for (const jid of jids) judging.stages[" " + jid] = "named";
  for (const jid of jids) judgeDeep(store, judging, jid, jids.length);
  return judging.refusals;
}

/** Judges a job after all that wait for it, as deep as that goes. */
function judgeDeep(store: Store, judging: Judging, jid: string, most: number): void {
  const { stages, refusals, dependents } = judging;
  const open = [jid];
  while (open.length > 0) {
    const top = open[open.length - 1]!;
    const key = " " + top;
    if (stages[key] === "named") {
      stages[key] = "open";
      const refusal = judgeAlone(store, judging, top, most);
      if (refusal !== undefined) refusals[key] = refusal;
      else {
        for (const dependent of dependents[key]!) {
          if (stages[" " + dependent] === "named") open.push(dependent);
        }
      }
    } else {
      if (stages[key] === "open" && refusals[key] === undefined) judgeLast(judging, top);
      stages[key] = "judged";
      open.pop();
    }
  }
}

/** The refusal of a job that could not be canceled whatever becomes of the others in the call. */
function judgeAlone(store: Store, judging: Judging, jid: string, most: number): string | undefined {
  const [klass, state] = store.fields(jobKey(jid), ["klass", "state"]);
  if (klass === false) return "NO_SUCH_JOB " + noSuchJob(jid);
  const refusal = judgeState(jid, stateIn(store, state!));
  if (refusal !== undefined) return refusal;
  if (judging.visits > MAX_VISITS) {
    return `HAS_DEPENDENTS More jobs wait for those of the call than can be followed: ${MAX_VISITS}`;
  }
  // Of as many as the call has jobs, one is not in it.
  const dependents = store.lowest(dependentsKey(jid), 0, most);
  judging.visits += dependents.length;
  judging.dependents[" " + jid] = dependents;
  for (const dependent of dependents) {
    if (judging.stages[" " + dependent] === undefined) return hasDependent(jid, dependent);
  }
  return undefined;
}

/** Refuses a job of which one that waits for it is refused. */
function judgeLast({ refusals, dependents }: Judging, jid: string): void {
  for (const dependent of dependents[" " + jid]!) {
    if (refusals[" " + dependent] !== undefined) {
      refusals[" " + jid] = staysWaiting(jid, dependent);
      return;
    }
  }
}

const staysWaiting = (jid: string, dependent: string) =>
  `HAS_DEPENDENTS ${jid} is a dependency of ${dependent}, which cannot be canceled`;
