import type { Calls } from "../../client/calls.ts";
import type { JobJson } from "../../client/job-json.ts";
import type { CountsJson } from "../../client/queue-types.ts";
import { invalid } from "../../client/times.ts";
import { Refused } from "../../engine.ts";
import type { Desk } from "../desk.ts";
import { jobsTable } from "../jobs.ts";
import { dateOf, secondsOf } from "../moments.ts";
import { tableOf, WHOLE } from "../table.ts";
import type { Flag, Verb } from "../verb.ts";

/** Verbs that list queues and their jobs. */

export const COUNT: Flag = { flag: "--count <n>", about: "how many at most (25)" };
export const OFFSET: Flag = { flag: "--offset <n>", about: "how many to skip (0)" };

export const queues: Verb = {
  name: "queues",
  about: "Count the jobs of each queue by state.",
  words: [{ word: "[queue]", about: "this queue alone" }],
  flags: [{ flag: "--count <n>", about: "how many queues at most (1000)" }, OFFSET],
  examples: ["qless queues", "qless queues emails --json"],
  at: "queues",
  async run(desk) {
    const [queue] = desk.words;
    const calls = await desk.calls();
    const page = [desk.flags.whole("offset") ?? 0, desk.flags.whole("count") ?? 1000];
    const told = await calls.json<CountsJson | CountsJson[]>("queues", [queue ?? "", ...page]);
    const all = [told].flat();
    if (queue !== undefined && !(await isKnown(calls, all[0]!))) {
      throw new Refused("NO_SUCH_QUEUE", `There is no queue ${queue}: see qless queues`);
    }
    desk.out.show(all, () => (all.length === 0 ? ["No queues."] : queuesTable(all)));
    return undefined;
  },
};

/** Queues that are read at a time to find one. */
const PAGE = 1000;

/** A queue without a job is known if it is listed: any name can be counted, a misspelt one as well. */
async function isKnown(calls: Calls, counts: CountsJson): Promise<boolean> {
  const { waiting, running, stalled, scheduled, depends, recurring, paused } = counts;
  if (paused || waiting + running + stalled + scheduled + depends + recurring > 0) return true;
  for (let offset = 0; ; offset += PAGE) {
    const some = await calls.json<CountsJson[]>("queues", ["", offset, PAGE]);
    if (some.some(({ name }) => name === counts.name)) return true;
    if (some.length < PAGE) return false;
  }
}

export function queuesTable(all: readonly CountsJson[]): string[] {
  return tableOf(all, [
    { title: "QUEUE", least: WHOLE, of: ({ name }) => name },
    { title: "WAITING", of: ({ waiting }) => waiting },
    { title: "RUNNING", of: ({ running }) => running },
    { title: "STALLED", of: ({ stalled }) => stalled, colour: redIf(({ stalled }) => stalled) },
    { title: "SCHEDULED", of: ({ scheduled }) => scheduled },
    { title: "DEPENDS", of: ({ depends }) => depends },
    { title: "RECURRING", of: ({ recurring }) => recurring },
    {
      title: "PAUSED",
      isFree: true,
      of: pauseOf,
      colour: ({ paused }) => (paused ? "yellow" : undefined),
    },
  ]);
}

const redIf = (of: (counts: CountsJson) => number) => (counts: CountsJson) =>
  of(counts) > 0 ? ("red" as const) : undefined;

function pauseOf({ paused, paused_reason, paused_until }: CountsJson): string {
  if (!paused) return "";
  const until = secondsOf(paused_until);
  const end = until === undefined ? "" : `, until ${dateOf(until)}`;
  return `${paused_reason || "paused"}${end}`;
}

export const peek: Verb = {
  name: "peek",
  about: "Show the jobs that a queue would hand out next, without taking them.",
  words: [{ word: "<queue>", about: "the queue" }],
  flags: [{ flag: "--count <n>", about: "how many at most (10)" }],
  examples: ["qless peek emails", "qless peek emails --count 100 --json"],
  at: "queues",
  async run(desk) {
    const words = [desk.words[0]!, desk.flags.whole("count") ?? 10];
    const jobs = await (await desk.calls()).json<JobJson[]>("peek", words);
    desk.out.show(jobs, () => jobsTable(jobs));
    return undefined;
  },
};

const LISTED = ["waiting", "running", "stalled", "scheduled", "depends", "complete"] as const;

export const jobs: Verb = {
  name: "jobs",
  about: "List the jobs of one state, of one queue; completed ones of all.",
  words: [
    { word: "<state>", about: "the state", choices: LISTED },
    { word: "[queue]", about: "the queue; none for complete" },
  ],
  flags: [COUNT, OFFSET],
  examples: [
    "qless jobs waiting emails",
    "qless jobs complete --count 100",
    "qless jobs stalled q",
  ],
  at: "queues",
  async run(desk) {
    const words = listingWords(desk);
    const calls = await desk.calls();
    const jids = (await calls.read("jobs", words)) as string[];
    const found = jids.length === 0 ? [] : await calls.json<JobJson[]>("multiget", jids);
    desk.out.show(found, () => jobsTable(found));
    return undefined;
  },
};

function listingWords({ words: [state = "", queue], flags }: Desk): (string | number)[] {
  const page = [flags.whole("offset") ?? 0, flags.whole("count") ?? 25];
  if (state === "failed") throw invalid("Failed jobs are listed by group: see qless failed");
  if (!LISTED.some((one) => one === state)) {
    throw invalid(`There is no state ${JSON.stringify(state)}: there are ${LISTED.join(", ")}`);
  }
  if (state !== "complete" && queue === undefined) {
    throw invalid(`Which queue? Say qless jobs ${state} <queue>, or qless search --state ${state}`);
  }
  if (state === "complete" && queue !== undefined) {
    throw invalid(`Completed jobs are in no queue: see qless search --state complete --queue`);
  }
  return state === "complete" ? [state, ...page] : [state, queue!, ...page];
}
