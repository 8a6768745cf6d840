import type { RunningJob } from "../client/running-job.ts";
import { Refused, refusalFrom } from "../engine.ts";
import type { Crew } from "./crew.ts";
import { type Asked, type Ended, finish, jobsIn, MAX_OUTCOMES, NOTHING } from "./finishing.ts";
import type { Hands } from "./hands.ts";
import { failed, type Outcome } from "./outcome.ts";
import type { Run } from "./run.ts";
import type { Strays } from "./strays.ts";

/** Outcomes on their way to the engine: each arrives, or is known to be of no use any more. */
export class Outbox {
  readonly #crew: Crew;
  readonly #hands: Hands;
  readonly #strays: Strays;
  #ended: Ended[] = [];

  constructor(crew: Crew, hands: Hands, strays: Strays) {
    this.#crew = crew;
    this.#hands = hands;
    this.#strays = strays;
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
    const deadline = asked.count === 0 ? undefined : this.#strays.deadline();
    try {
      const reply = await this.#finish(sent, asked, deadline);
      // What comes of many is read in its own turn.
      const { turns } = this.#hands;
      if (sent.length >= turns.many) await turns.own();
      for (let i = 0; i < sent.length; i++) this.#answered(sent[i]!, reply[i]!);
      return jobsIn(reply, sent.length, this.#crew);
    } catch (error) {
      if (asked.count > 0 && isUncertain(error)) this.#strays.mayCome(deadline);
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
        const [answer] = await this.#finish([one], NOTHING, undefined);
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

  #finish(sent: Ended[], asked: Asked, deadline: number | undefined): Promise<string[]> {
    return finish(this.#crew.calls, this.#crew.name, sent, asked, deadline);
  }

  #keep(sent: Ended[], error: unknown): void {
    for (const one of sent) one.isDoubtful ||= isUncertain(error);
    this.#ended.unshift(...sent);
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

const isUncertain = (error: unknown) => (error as { uncertain?: boolean }).uncertain === true;
