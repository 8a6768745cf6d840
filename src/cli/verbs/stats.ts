import { engineTime } from "../../client/engine-time.ts";
import type { StatisticsJson, TimesJson } from "../../client/queue-types.ts";
import { invalid, momentMs } from "../../client/times.ts";
import { counted } from "../changing.ts";
import { histogramLines } from "../histogram.ts";
import { lengthOf } from "../moments.ts";
import { plain } from "../plain.ts";
import type { Verb } from "../verb.ts";

export const stats: Verb = {
  name: "stats",
  about: "Tell how long jobs of a queue waited and ran on a day, with histograms.",
  words: [{ word: "<queue>", about: "the queue" }],
  flags: [{ flag: "--day <date>", about: "a day in UTC, such as 2031-01-31 (today)" }],
  examples: ["qless stats emails", "qless stats emails --day 2031-01-31 --json"],
  at: "queues",
  async run(desk) {
    const [queue] = desk.words as [string];
    const day = desk.flags.text("day");
    if (day !== undefined && !/^\d{4}-\d\d-\d\d$/.test(day)) {
      throw invalid("--day must be a date such as 2031-01-31");
    }
    const calls = await desk.calls();
    const at = day === undefined ? await engineTime(calls) : new Date(momentMs(day, "--day"));
    const seconds = at.getTime() / 1000;
    if (!(seconds >= 0)) throw invalid("--day must be a date such as 2031-01-31");
    const told = await calls.json<StatisticsJson>("stats", [queue, seconds]);
    desk.out.show(told, () => [
      plain(`${queue} on ${at.toISOString().slice(0, 10)} (UTC)`),
      `Failures: ${told.failures}, of which ${told.failed} still are; retries: ${told.retries}`,
      ...timesLines("waited", told.wait),
      ...timesLines("ran", told.run),
    ]);
    return undefined;
  },
};

function timesLines(verb: string, times: TimesJson): string[] {
  const { count, mean, p50, p95, p99, histogram } = times;
  if (count === 0) return ["", `No job ${verb}.`];
  const told = { mean, p50, p95, p99 };
  const lengths = Object.entries(told).map(([name, s]) => `${name} ${lengthOf(s * 1000)}`);
  return ["", `${counted(count)} ${verb}: ${lengths.join(", ")}`, ...histogramLines(histogram)];
}
