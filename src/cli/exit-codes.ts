import { Invalid } from "../engine.ts";

/** How the process ends; the guide of workers has them in a table. */
export const EXIT = {
  /** All that ran has ended, or there was nothing to do. */
  CLEAN: 0,
  /** It could not start, broke down, or had to cut jobs off. */
  FAILED: 1,
  /** Flags, config or jobs are wrong: it makes no sense to start it again as it is. */
  USAGE: 2,
  /** Told twice to stop, so it did not wait for jobs: 128 and the number of the signal. */
  SIGINT: 130,
  SIGTERM: 143,
} as const;

export const exitCodeOf = (error: unknown) => (error instanceof Invalid ? EXIT.USAGE : EXIT.FAILED);
