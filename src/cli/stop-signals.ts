/** A signal that comes again so soon, in milliseconds, is the same, passed on by npx or a terminal. */
const SAME_MS = 300;

export interface Stopping {
  /** Told to stop. */
  asked(signal: NodeJS.Signals): void;
  /** Told again, while it stops. */
  urged(signal: NodeJS.Signals): void;
}

/** Hears TERM and INT from now on: the first asks, and what comes after urges. */
export function onStopSignals({ asked, urged }: Stopping): void {
  let last = Number.NEGATIVE_INFINITY;
  let times = 0;
  const hear = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (now - last < SAME_MS) return;
    last = now;
    times += 1;
    if (times === 1) asked(signal);
    else urged(signal);
  };
  process.on("SIGTERM", hear);
  process.on("SIGINT", hear);
}
