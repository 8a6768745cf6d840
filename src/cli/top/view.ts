import type { JobJson } from "../../client/job-json.ts";
import { colourOf, jobPage, messageOf, retriesLeft } from "../jobs.ts";
import { secondsOf, whenOf } from "../moments.ts";
import { type Column, tableOf, WHOLE } from "../table.ts";
import { WORKER_COLUMNS } from "../workers.ts";
import type { Sample } from "./sample.ts";
import type { Row } from "./screen.ts";

/** What is on the screen, drawn from what is known; nothing here asks or changes anything. */

export type Section = "queues" | "failures" | "workers";

/** What the jobs that are listed have in common. */
export type Of = { queue?: string; group?: string; worker?: string };

export type View =
  | { kind: "overview"; section: Section; at: number }
  | { kind: "jobs"; of: Of; jobs: readonly JobJson[] | undefined; at: number }
  | { kind: "job"; jid: string; job: JobJson | "gone" | undefined; top: number };

export interface Frame {
  place: string;
  view: View;
  sample: Sample | undefined;
  /** When what is shown was read. */
  at: Date | undefined;
  /** Something to be told or asked at the bottom. */
  status: string;
  width: number;
  height: number;
}

/** Lines besides what is looked at: the title, a blank, the status and the keys. */
const FIXED = 4;

export function rowsOf(frame: Frame): Row[] {
  const { view, place, status, height } = frame;
  const at = frame.at === undefined ? "" : `  ${frame.at.toISOString().slice(11, 19)}`;
  const room = height - FIXED;
  const body = bodyOf(frame, room).slice(0, room);
  const blank = Array.from({ length: Math.max(0, room - body.length) }, () => ({ text: "" }));
  return [
    { text: `qless top  ${place}${at}`, colour: "bold" },
    { text: "" },
    ...body,
    ...blank,
    { text: status, colour: "yellow" },
    { text: KEYS[view.kind], colour: "grey" },
  ];
}

/** What stands there until something was read. */
const LOOKING: Row = { text: "Looking ..." };

const KEYS = {
  overview: "up/down choose  tab section  enter open  p pause queue  r retry group  q quit",
  jobs: "up/down choose  enter open  r retry  c cancel  esc back  q quit",
  job: "up/down scroll  r retry  c cancel  t take from worker  esc back  q quit",
};

function bodyOf(frame: Frame, room: number): Row[] {
  const { view, width } = frame;
  if (view.kind === "overview") return overview(frame, view.section, view.at, room);
  if (view.kind === "jobs") {
    const title = { text: titleOf(view.of), colour: "cyan" as const };
    if (view.jobs === undefined) return [title, LOOKING];
    if (view.jobs.length === 0) return [title, { text: "No jobs." }];
    return [title, ...table(view.jobs, JOB_COLUMNS, width, view.at, room - 1)];
  }
  if (view.job === undefined) return [LOOKING];
  if (view.job === "gone") return [{ text: `${view.jid} is gone.` }];
  const page = jobPage(view.job, { width, colours: false });
  // A job may have become shorter, and the terminal higher, since it was moved.
  const top = Math.min(view.top, Math.max(0, page.length - room));
  return page.slice(top, top + room).map((text) => ({ text }));
}

/** How far a job's page can be moved until its last line is seen. */
export function lastTop(
  job: JobJson,
  { width, height }: { width: number; height: number },
): number {
  return Math.max(0, jobPage(job, { width, colours: false }).length - (height - FIXED));
}

function titleOf({ queue, group, worker }: Of): string {
  if (queue !== undefined) return `Jobs of ${queue}: running, then those that come next`;
  return group === undefined ? `Jobs of worker ${worker}` : `Jobs that failed in group ${group}`;
}

/** Sections share the room: queues have what the others leave. */
function overview(frame: Frame, section: Section, at: number, room: number): Row[] {
  const { sample, width } = frame;
  if (sample === undefined) return [LOOKING];
  const { queues, hasMore, failures, workers } = sample;
  const third = Math.max(2, Math.floor((room - 5) / 3));
  const lower = Math.min(failures.length, third) + Math.min(workers.length, third);
  const upper = Math.max(3, room - 5 - 2 - lower);
  const countOf = (name: Section, count: number) =>
    name === "queues" && hasMore ? `the first ${count}; qless queues has all` : count;
  const part = <Of>(
    name: Section,
    all: readonly Of[],
    columns: readonly Column<Of>[],
    most: number,
  ) => [
    { text: `${name.toUpperCase()} (${countOf(name, all.length)})`, colour: "cyan" as const },
    ...(all.length === 0
      ? []
      : table(all, columns, width, section === name ? at : undefined, most)),
  ];
  return [
    ...part("queues", queues, QUEUE_COLUMNS, upper),
    { text: "" },
    ...part("failures", failures, FAILURE_COLUMNS, third + 1),
    { text: "" },
    ...part("workers", workers, WORKER_COLUMNS, third + 1),
  ];
}

/** Rows of a table with one chosen, moved so that this one is seen. */
function table<Of>(
  all: readonly Of[],
  columns: readonly Column<Of>[],
  width: number,
  at: number | undefined,
  most: number,
): Row[] {
  const room = Math.max(1, most - 1);
  const from = at === undefined ? 0 : Math.max(0, Math.min(at - room + 1, all.length - room));
  const some = all.slice(from, from + room);
  const [head = "", ...lines] = tableOf(some, columns, { width, colours: false });
  const rows = lines.map((text, i) => ({
    text,
    colour: columns.map(({ colour }) => colour?.(some[i]!)).find((one) => one !== undefined),
    isChosen: at === from + i,
  }));
  return [{ text: head, colour: "grey" }, ...rows];
}

const perSecond = (rate: number) => (rate < 10 ? rate.toFixed(1) : String(Math.round(rate)));

const QUEUE_COLUMNS: Column<Sample["queues"][0]>[] = [
  { title: "QUEUE", least: WHOLE, of: ({ name }) => name },
  { title: "WAITING", of: ({ waiting }) => waiting },
  { title: "RUNNING", of: ({ running }) => running },
  {
    title: "STALLED",
    of: ({ stalled }) => stalled,
    colour: ({ stalled }) => (stalled > 0 ? "red" : undefined),
  },
  { title: "SCHEDULED", of: ({ scheduled }) => scheduled },
  { title: "DEPENDS", of: ({ depends }) => depends },
  { title: "BEGUN/S", of: ({ begun }) => perSecond(begun) },
  { title: "ENDED/S", of: ({ ended }) => perSecond(ended) },
  {
    title: "",
    of: ({ paused, paused_reason }) => (paused ? `paused ${paused_reason ?? ""}` : ""),
    colour: ({ paused }) => (paused ? "yellow" : undefined),
  },
];

const FAILURE_COLUMNS: Column<[string, number]>[] = [
  { title: "GROUP", least: WHOLE, of: ([group]) => group },
  { title: "JOBS", of: ([, jobs]) => jobs, colour: () => "red" },
];

const JOB_COLUMNS: Column<JobJson>[] = [
  { title: "JID", least: WHOLE, of: ({ jid }) => jid },
  { title: "KLASS", of: ({ klass }) => klass },
  { title: "STATE", of: ({ state }) => state, colour: ({ state }) => colourOf(state) },
  { title: "WORKER", least: WHOLE, of: ({ worker }) => worker },
  { title: "SINCE", least: WHOLE, of: ({ history }) => whenOf(secondsOf(history.at(-1)?.when)) },
  { title: "LEFT", of: retriesLeft },
  { title: "MESSAGE", isFree: true, of: ({ failure }) => messageOf(failure).slice(0, 200) },
];
