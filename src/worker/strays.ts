import type { EngineClock } from "../client/engine-clock.ts";
import { startTimer } from "../timers.ts";
import type { Crew } from "./crew.ts";
import type { Hands } from "./hands.ts";
import { retried } from "./outcome.ts";

/** Jobs that one call reads or gives back. */
const SLICE = 100;
/** How long after a deadline the worker looks again, in milliseconds: clocks are estimated. */
const SPARE_MS = 250;
/** Between two looks that only a count asked for, in milliseconds. */
const PAUSE_MS = 5000;

/** What multiget answers of a job, as far as it matters here. */
interface Listed {
  jid: string;
  worker: string;
  lease: number | null;
  history: { what: string; when: number }[];
}

/**
 * Jobs that the engine holds for this worker and that it does not run: an answer was lost, or a
 * request took them after the worker had given it up. They are given back, which costs no retry.
 */
export class Strays {
  readonly #crew: Crew;
  readonly #hands: Hands;
  readonly #clock: EngineClock;
  readonly #look: () => void;
  /** When this worker began, by the engine's clock. Older runs are those of an earlier process. */
  #since = Number.POSITIVE_INFINITY;
  #isInDoubt = false;
  /** Until when a request whose answer was lost may take jobs, by the engine's clock. */
  #until = 0;
  #timer: NodeJS.Timeout | undefined;
  #counted = Number.NEGATIVE_INFINITY;

  /** `look` is told to call `giveBack` when there is a doubt, while no request for jobs is open. */
  constructor(crew: Crew, hands: Hands, clock: EngineClock, look: () => void) {
    this.#crew = crew;
    this.#hands = hands;
    this.#clock = clock;
    this.#look = look;
  }

  /** The clock is known, and the worker is about to ask for jobs. */
  begin(): void {
    this.#since = this.#clock.estimate();
  }

  /** Whether the engine may hold jobs for the worker that it does not know of. */
  get isInDoubt(): boolean {
    return this.#isInDoubt;
  }

  /**
   * The deadline of a request that is sent now, by the engine's clock; undefined if requests are not
   * delayed. It is a whole second, so that requests of one second have equal envelopes.
   */
  deadline(): number | undefined {
    const { timeoutMs } = this.#crew.calls.engine;
    if (timeoutMs === undefined) return undefined;
    return Math.ceil((this.#clock.estimate() + timeoutMs) / 1000) * 1000;
  }

  /** The answer to a request was lost. It may have taken jobs, or still take some until then. */
  mayCome(deadline: number | undefined): void {
    this.#isInDoubt = true;
    this.#until = Math.max(this.#until, deadline ?? 0);
  }

  /** The engine holds so many jobs for the worker, while no request was open but those counted. */
  counted(holds: number): void {
    let known = this.#hands.asked;
    for (const _ of this.#hands.held) known += 1;
    const now = performance.now();
    if (holds <= known || now - this.#counted < PAUSE_MS) return;
    this.#counted = now;
    this.#isInDoubt = true;
    this.#look();
  }

  /** Gives back what is not run here. To be called while no request for jobs is open. */
  async giveBack(): Promise<void> {
    const { calls, name, log } = this.#crew;
    const known = new Set<string>();
    for (const { jid } of this.#hands.held) known.add(jid);
    const listed = await calls.json<{ jobs: string[]; stalled: string[] }>("workers", [name]);
    const unknown = [...listed.jobs, ...listed.stalled].filter((jid) => !known.has(jid));
    for (let i = 0; i < unknown.length; i += SLICE) {
      const jobs = await calls.json<Listed[]>("multiget", unknown.slice(i, i + SLICE));
      const strays = jobs.filter((job) => this.#isStray(job));
      if (strays.length === 0) continue;
      const jids = strays.map(({ jid }) => jid);
      log.warn({ jids }, "A late request took jobs that this worker does not run: given back");
      await calls.attempt("finish", [name, 0, "[]", ...strays.flatMap(givenBack)]);
    }
    this.#isInDoubt = false;
    this.#lookAgain();
  }

  #isStray({ worker, lease, history }: Listed): boolean {
    if (worker !== this.#crew.name || lease === null) return false;
    const popped = history.findLast(({ what }) => what === "popped");
    return popped !== undefined && popped.when * 1000 >= this.#since;
  }

  /** Looks once more when the request whose answer was lost can take no jobs any more. */
  #lookAgain(): void {
    if (this.#until === 0) return;
    const ms = this.#clock.here(this.#until) - performance.now() + SPARE_MS;
    this.#until = 0;
    clearTimeout(this.#timer);
    this.#timer = startTimer(
      () => {
        this.#isInDoubt = true;
        this.#look();
      },
      Math.max(ms, SPARE_MS),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

const BACK = retried({ delay: 0, spend: false });

/** The outcome that gives a job back, in the words of finish. */
function givenBack({ jid, lease }: Listed): (string | number)[] {
  return [BACK.verb, jid, lease ?? "", BACK.words.length, ...BACK.words];
}
