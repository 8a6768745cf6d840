import type { CommandName } from "../../src/engine.ts";

/** The states that a job is seen in, `none` when there is no such job. */
export const STATES = [
  "none",
  "waiting",
  "running",
  "scheduled",
  "depends",
  "stalled",
  "failed",
  "complete",
] as const;
export type Seen = (typeof STATES)[number];

/** A job that a step is about: this one, or one that is in that state when the step is played. */
export type Pick = { jid: string } | { state: Seen; at: number };

/**
 * A word of a call: as it is, or what is only known when the step is played. The numbers say which
 * of the step's jobs (or, for `on`, `list` and `home`, of the other jobs) is meant. Worker,
 * queue and lease are what the last pop of that job answered; `stale` is a lease it had before.
 * `home` is the queue that another job is in now. `tick` is the next tick of that schedule, or so
 * many seconds later.
 */
export type Word =
  | string
  | { jid: number }
  | { worker: number }
  | { queue: number }
  | { lease: number }
  | { stale: number }
  | { on: number }
  | { list: number[] }
  | { home: number }
  | { tick: string; later: number };

/** A call before the history is known in which it will be made. Plain data, so that it prints. */
export interface Draft {
  command: CommandName;
  /** The jobs that it names. */
  jids: Pick[];
  /** Other jobs: those to wait for, or one to look for work at. */
  on: Pick[];
  words: Word[];
  /** Whether it is malformed, and so refused whatever the state of things. */
  bad: boolean;
}

export interface Step {
  /** Milliseconds that go by before it. */
  later: number;
  /** `new` names the call; `again` sends the last call that was named once more instead. */
  request: "none" | "new" | "again";
  draft: Draft;
}
