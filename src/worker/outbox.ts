import type { RunningJob } from "../client/running-job.ts";
import { Refused, refusalFrom } from "../engine.ts";
import type { Crew } from "./crew.ts";
import {
  type Asked,
  type Ended,
  finish,
  giveBackUnknown,
  jobsIn,
  MAX_OUTCOMES,
  NOTHING,
} from "./finishing.ts";
import type { Hands } from "./hands.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { Run } from "./run.ts";

/** Outcomes on their way to the engine: each arrives, or is known to be of no use any more. */
export class Outbox {
  readonly #crew: Crew;
  readonly #hands: Hands;
  #ended: Ended[] = [];
  /** Whether an answer was lost that may have brought jobs. */
  #mayHoldMore = false;

  constructor(crew: Crew, hands: Hands) {
    this.#crew = crew;
    this.#hands = hands;
  }

  /** Whether jobs may be held that are not known here. */
  get isInDoubt(): boolean {
    return this.#mayHoldMore;
  }

  get size(): number {
    return this.#ended.length;
  }

  /** Forgets what was not sent: the jobs have been given up. */
  clear(): void {
    this.#ended = [];
  }

  /** Takes what became of a run; if its lock was lost, nobody needs to know. */
  add(run: Run, outcome: Outcome): void {
    if (run.isLost) this.#lost(run);
    else this.#ended.push({ run, outcome, isDoubtful: false });
  }

  /** What is to be sent next. */
  #next(): Ended[] {
    if (this.#ended.length > MAX_OUTCOMES) return this.#ended.splice(0, MAX_OUTCOMES);
    const all = this.#ended;
    this.#ended = [];
    return all;
  }

  /** Sends outcomes, and brings the jobs that are asked for. What could not be sent stays. */
  async send(asked: Asked): Promise<RunningJob[]> {
    const sent = this.#next();
    try {
      if (this.#mayHoldMore) await this.#giveBack();
      const reply = await this.#finish(sent, asked);
      // What comes of many is read in its own turn.
      const { turns } = this.#hands;
      if (sent.length >= turns.many) await turns.own();
      for (let i = 0; i < sent.length; i++) this.#answered(sent[i]!, reply[i]!);
      return jobsIn(reply, sent.length, this.#crew);
    } catch (error) {
      if (!(error instanceof Refused) || sent.length === 0) this.#keep(sent, error);
      else await this.#sendEach(sent, error);
      throw error;
    }
  }

  /**
   * A call that is refused as a whole has an outcome in it that makes no sense. Each is sent alone
   * then, and the one that is at fault fails its job, so that it holds up none of the others.
   */
  async #sendEach(sent: Ended[], refusal: Refused): Promise<void> {
    for (const one of sent) {
      const { jid, klass } = one.run;
      try {
        const [answer] = await this.#finish([one], NOTHING);
        this.#answered(one, answer!);
      } catch (error) {
        if (error instanceof Refused) {
          const facts = { err: refusal, jid, klass };
          this.#crew.log.error(facts, "An outcome was refused; the job fails");
          one.outcome = failed(`${klass}:${error.code}`, error.message);
        }
        this.#keep([one], error);
      }
    }
  }

  #finish(sent: Ended[], asked: Asked): Promise<string[]> {
    return finish(this.#crew.calls, this.#crew.name, sent, asked);
  }

  #keep(sent: Ended[], error: unknown): void {
    const { uncertain = false } = error as { uncertain?: boolean };
    for (const one of sent) one.isDoubtful ||= uncertain;
    this.#ended.unshift(...sent);
    this.#mayHoldMore ||= uncertain;
  }

  async #giveBack(): Promise<void> {
    const known = new Set([...this.#hands.held].map(({ jid }) => jid));
    await giveBackUnknown(this.#crew.calls, this.#crew.name, known);
    this.#mayHoldMore = false;
  }

  #answered({ run, outcome, isDoubtful }: Ended, answer: string): void {
    const isRefused = refusalFrom(answer) !== undefined;
    if (isRefused && !isDoubtful) {
      run.lose("LOCK_LOST");
      this.#lost(run);
      return;
    }
    this.#hands.held.delete(run);
    // One that was sent before, and is refused now, was most likely carried out then.
    this.#crew.ended(run, outcome, isRefused ? "" : answer);
  }

  #lost(run: Run): void {
    this.#hands.held.delete(run);
    this.#crew.lost(run);
  }
}
