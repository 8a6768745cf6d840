import { workerData } from "node:worker_threads";
import { startInterval, startTimer } from "../../timers.ts";
import { endAll, type Watched } from "./last-hour.ts";

/** Looks whether the parent still lives, beside a thread that may be too busy to notice. */

const watched = workerData as Watched;
const EVERY_MS = 250;
/** What is left of the two seconds after the parent's end, for handlers to notice it. */
const FAREWELL_MS = 1000;

const timer = startInterval(() => {
  if (process.ppid === watched.parent) return;
  clearInterval(timer);
  startTimer(() => endAll(watched), FAREWELL_MS);
}, EVERY_MS);
