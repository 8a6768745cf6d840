import { type DestinationStream, type Logger, pino } from "pino";
import type { WorkConfig } from "../worker/config.ts";
import { Pretty } from "./pretty.ts";

export type LogSettings = Required<NonNullable<WorkConfig["log"]>>;

/** A log on the standard output: JSON for machines, or lines for people. */
export function openLog({ level, format }: LogSettings): Logger {
  const options = {
    level,
    // The worker's name says host and process already.
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  // Written at once, so that nothing is left over however the process ends.
  const out = pino.destination({ dest: 1, sync: true });
  return pino(options, format === "json" ? out : prettyTo(out, level));
}

function prettyTo(out: DestinationStream, level: string): DestinationStream {
  const { NO_COLOR = "" } = process.env;
  const colours = process.stdout.isTTY === true && NO_COLOR === "";
  return new Pretty(out, { colours, stacks: level === "debug" });
}
