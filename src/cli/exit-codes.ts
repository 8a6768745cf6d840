import { Invalid, Refused } from "../engine.ts";

/** How the process ends; docs/guides/cli.md has them in a table. */
export const EXIT = {
  /** Done; of a worker: all that ran has ended. */
  CLEAN: 0,
  /** It could not start, broke down, or had to cut jobs off. */
  FAILED: 1,
  /** Words, flags, config or jobs are wrong: it makes no sense to try again as it is. */
  USAGE: 2,
  /** The queue said no: there is no such job, queue or worker, or not in a state for that. */
  REFUSED: 3,
  /** It has looked, and something is wrong: check has found it, or doctor. */
  FOUND: 4,
  /** Somebody was asked, and said no. */
  DECLINED: 5,
  /** Told to stop: 128 and the number of the signal; a worker only if it was told twice. */
  SIGINT: 130,
  SIGTERM: 143,
} as const;

export function exitCodeOf(error: unknown): number {
  if (error instanceof Invalid) return EXIT.USAGE;
  return error instanceof Refused ? EXIT.REFUSED : EXIT.FAILED;
}
