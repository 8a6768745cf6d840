import type { Entry, Job } from "../../lib/shapes.ts";

/** A stretch of a job's life: where it was, and with whom. */
export interface Span {
  kind: "waiting" | "scheduled" | "depends" | "running" | "stalled" | "failed";
  /** The worker of a run, else the queue. */
  lane: string;
  isRun: boolean;
  from: number;
  to: number;
  /** How it ended; empty while it goes on. */
  end: string;
}

export interface Mark {
  at: number;
  what: string;
  isTrouble: boolean;
}

export interface Life {
  spans: Span[];
  marks: Mark[];
  from: number;
  to: number;
}

const textIn = (entry: Entry, name: string) =>
  typeof entry[name] === "string" ? (entry[name] as string) : "";

/** Puts a life together from what was noted of it. */
class Telling {
  readonly spans: Span[] = [];
  readonly marks: Mark[] = [];
  #open: Omit<Span, "to" | "end"> | undefined;
  #queue = "";

  close(at: number, end: string): void {
    if (this.#open !== undefined) this.spans.push({ ...this.#open, to: at, end });
    this.#open = undefined;
  }

  begin(kind: Span["kind"], lane: string, from: number): void {
    this.#open = { kind, lane, from, isRun: kind === "running" };
  }

  /** Each word of the history as the core writes it; any other was logged. */
  hear(entry: Entry): void {
    const { what, when } = entry;
    if (what === "put") {
      this.#queue = textIn(entry, "q");
      this.close(when, "put");
      this.begin("waiting", this.#queue, when);
    } else if (what === "popped") {
      this.close(when, "handed out");
      this.begin("running", textIn(entry, "worker"), when);
    } else if (what === "done") {
      this.close(when, "completed");
    } else if (what === "retried") {
      this.close(when, "retried");
      this.begin("waiting", this.#queue, when);
    } else if (what === "failed") {
      this.close(when, `failed: ${textIn(entry, "group")}`);
      this.begin("failed", this.#queue, when);
    } else if (what === "timed-out") {
      this.close(when, "lock lost");
      this.begin("stalled", this.#queue, when);
    }
    const isTrouble = what === "timed-out" || what === "failed" || what === "retried";
    this.marks.push({ at: when, what, isTrouble });
  }

  /** What is open goes on until now, as what the job is now. */
  finish(job: Job, now: number): void {
    if (this.#open === undefined) return;
    const { state } = job;
    if (state !== "complete") this.#open.kind = state;
    this.close(Math.max(now, this.#open.from), "");
  }
}

/** The job's life, from its history; what the history has no more of is left out. */
export function lifeOf(job: Job, now: number): Life {
  const telling = new Telling();
  for (const entry of job.history) telling.hear(entry);
  telling.finish(job, now);
  const { spans, marks } = telling;
  const ends = spans.map(({ to }) => to);
  const from = Math.min(...marks.map(({ at }) => at), now);
  const to = Math.max(from + 0.001, ...ends, ...marks.map(({ at }) => at));
  return { spans, marks, from, to };
}
