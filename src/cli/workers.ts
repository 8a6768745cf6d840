import type { PresentWorker, WorkerCounts, WorkerFacts } from "../client/workers.ts";
import { lengthOf, whenOf } from "./moments.ts";
import { plain } from "./plain.ts";
import { type Column, factsOf, tableOf, WHOLE } from "./table.ts";
import { hasColours, painted } from "./terminal.ts";

/** Workers on paper: all of them, and one. Facts are what a worker of any make wrote: of whatever type. */

/** Workers as a table, and which jobs came to them that they have no handler for. */
export function workersPage(all: readonly WorkerCounts[]): string[] {
  const lines = all.flatMap(({ name, present }) => {
    const klasses = textsOf(present?.facts.unhandled);
    if (klasses.length === 0) return [];
    const what = plain(`${name} has no handler for ${klasses.join(", ")}`);
    return [painted(what, "yellow", hasColours())];
  });
  return [...workersTable(all), ...lines];
}

/** What a table tells of a worker before all else. */
export const WORKER_COLUMNS: readonly Column<WorkerCounts>[] = [
  { title: "WORKER", least: WHOLE, of: ({ name }) => name },
  { title: "JOBS", of: ({ jobs }) => jobs },
  {
    title: "STALLED",
    of: ({ stalled }) => stalled,
    colour: ({ stalled }) => (stalled > 0 ? "red" : undefined),
  },
  { title: "QUEUES", isFree: true, of: ({ present }) => present?.queues.join(",") },
];

function workersTable(all: readonly WorkerCounts[]): string[] {
  const facts = (one: WorkerCounts) => one.present?.facts;
  return tableOf(all, [
    ...WORKER_COLUMNS,
    { title: "HANDS", of: (one) => textOf(facts(one)?.concurrency) },
    { title: "MODEL", of: (one) => textOf(facts(one)?.model) },
    { title: "HOST", of: (one) => textOf(facts(one)?.host) },
    { title: "PID", of: (one) => textOf(facts(one)?.pid) },
    { title: "MEMORY", of: (one) => megabytes(facts(one)?.memory) },
    { title: "LAG", of: (one) => lag(facts(one)?.lag) },
    { title: "SINCE", least: WHOLE, of: (one) => sinceOf(facts(one)?.since) },
  ]);
}

const textOf = (fact: unknown) =>
  typeof fact === "string" || typeof fact === "number" ? String(fact) : "";
const megabytes = (fact: unknown) => (typeof fact === "number" ? `${fact}M` : "");
const lag = (fact: unknown) => (typeof fact === "number" ? lengthOf(fact) : "");

function sinceOf(fact: unknown): string {
  const moment = new Date(typeof fact === "string" ? fact : Number.NaN);
  return Number.isNaN(moment.getTime()) ? "" : whenOf(moment);
}

type Run = Partial<WorkerFacts["runs"][number]>;

interface Held {
  jobs: readonly string[];
  stalled: readonly string[];
}

/** What one worker says that it is and does, and the jobs that it holds. */
export function workerPage({ jobs, stalled }: Held, present: PresentWorker | undefined): string[] {
  const about = present === undefined ? [] : [...aboutOf(present), ""];
  const rows = [
    ...jobs.map((jid) => ({ jid, lock: "lasts" })),
    ...stalled.map((jid) => ({ jid, lock: "has expired" })),
  ];
  if (rows.length === 0) return [...about, "No jobs."];
  const runs = new Map(runsOf(present).map((run) => [run.jid, run]));
  const columns = [
    { title: "JID", least: WHOLE, of: ({ jid }: { jid: string }) => jid },
    { title: "LOCK", of: ({ lock }: { lock: string }) => lock },
  ];
  if (runs.size === 0) return [...about, ...tableOf(rows, columns)];
  const told = (of: (run: Run) => string) => (row: { jid: string }) => {
    const run = runs.get(row.jid);
    return run === undefined ? "" : of(run);
  };
  return [
    ...about,
    ...tableOf(rows, [
      ...columns,
      { title: "KLASS", of: told(({ klass }) => textOf(klass)) },
      { title: "SINCE", least: WHOLE, of: told(({ since }) => sinceOf(since)) },
      { title: "PROGRESS", of: told(({ progress }) => shareOf(progress)) },
      { title: "SAYS", isFree: true, of: told(({ said }) => textOf(said)) },
    ]),
  ];
}

function aboutOf({ queues, klasses, facts }: PresentWorker): string[] {
  return factsOf([
    ["queues", queues.join(", ")],
    ["klasses", klasses.join(", ")],
    ["no handler for", textsOf(facts.unhandled).join(", ")],
    ["model", textOf(facts.model)],
    ["hands", textOf(facts.concurrency)],
    ["paused", facts.paused === true ? "yes" : ""],
    ["host", textOf(facts.host)],
    ["pid", textOf(facts.pid)],
    ["version", textOf(facts.version)],
    ["memory", megabytes(facts.memory)],
    ["lag", lag(facts.lag)],
    ["since", sinceOf(facts.since)],
  ]);
}

const textsOf = (fact: unknown) =>
  Array.isArray(fact) ? fact.filter((one): one is string => typeof one === "string") : [];
const shareOf = (fact: unknown) =>
  typeof fact === "number" && Number.isFinite(fact) ? `${Math.round(fact * 100)}%` : "";

function runsOf(present: PresentWorker | undefined): Run[] {
  const runs: unknown = present?.facts.runs;
  if (!Array.isArray(runs)) return [];
  return runs.filter((run): run is Run => typeof run === "object" && run !== null);
}
