import { JIDS } from "./alphabet.ts";
import type { Model } from "./model.ts";
import type { Draft, Pick, Word } from "./step.ts";

interface Held {
  worker: string;
  queue: string;
  lease: string;
  stale: string;
}

const NEVER_POPPED: Held = { worker: "w1", queue: "q1", lease: "1", stale: "0" };

/** A tick of no schedule in particular, in seconds. */
const ANY_TICK = 1_700_006_100;

function tickOf(model: Model, schedule: string, later: number): string {
  const next = model.world.crons.get(schedule)?.next ?? ANY_TICK * 1000;
  return String(next / 1000 + later);
}

/** What workers remember of the jobs they got, and so what drafts of calls turn out to say. */
export class Memory {
  readonly #held = new Map<string, Held>();

  /** Takes note of jobs that were handed out. */
  learn(worker: string, popped: string[]): void {
    for (const job of popped) {
      const [jid, , queue, lease] = job.split("\t") as [string, string, string, string];
      const stale = this.#held.get(jid)?.lease ?? "0";
      this.#held.set(jid, { worker, queue, lease, stale });
    }
  }

  /** The jid that is meant, as things are now. */
  jidOf(pick: Pick, model: Model, now: number): string {
    if ("jid" in pick) return pick.jid;
    const { state, at } = pick;
    const there = [...model.world.jobs.keys()];
    const jids = state === "none" ? JIDS : there;
    const found = jids.filter((jid) => model.stateOf(jid, now) === state);
    return found[at % found.length] ?? there[at % there.length] ?? JIDS[at % JIDS.length]!;
  }

  /** The jobs that the draft names, and its words as they will travel. */
  resolve(draft: Draft, model: Model, now: number): { jids: string[]; args: string[] } {
    const jids = draft.jids.map((pick) => this.jidOf(pick, model, now));
    const on = draft.on.map((pick) => this.jidOf(pick, model, now));
    const held = (job: number) => this.#held.get(jids[job]!) ?? NEVER_POPPED;
    const textOf = (word: Word): string => {
      if (typeof word === "string") return word;
      if ("jid" in word) return jids[word.jid]!;
      if ("on" in word) return on[word.on]!;
      if ("home" in word) return model.world.jobs.get(on[word.home]!)?.queue ?? "q1";
      if ("tick" in word) return tickOf(model, word.tick, word.later);
      if ("list" in word) return JSON.stringify(word.list.map((i) => on[i]!));
      if ("worker" in word) return held(word.worker).worker;
      if ("queue" in word) return held(word.queue).queue;
      return "lease" in word ? held(word.lease).lease : held(word.stale).stale;
    };
    const named = draft.words.flatMap((word) =>
      typeof word === "object" && "jid" in word ? [jids[word.jid]!] : [],
    );
    return { jids: [...new Set(named)], args: draft.words.map(textOf) };
  }
}
