import type { FailureJson, JobJson, State } from "../client/job-json.ts";
import { laidOut } from "../json/laid-out.ts";
import { DATE_LEAST, dateOf, lengthOf, secondsOf, whenOf } from "./moments.ts";
import { plain } from "./plain.ts";
import { type Column, type Frame, factsOf, tableOf, WHOLE } from "./table.ts";
import { type Colour, hasColours, painted } from "./terminal.ts";

/** Jobs on paper: as a row of a table, and whole. */

const COLOUR_OF: Readonly<Partial<Record<State, Colour>>> = {
  running: "green",
  stalled: "yellow",
  failed: "red",
  complete: "grey",
};

export const colourOf = (state: State) => COLOUR_OF[state];

/** Jobs as a table, a row for each. */
export function jobsTable(jobs: readonly JobJson[]): string[] {
  if (jobs.length === 0) return ["No jobs."];
  return tableOf(jobs, [
    { title: "JID", least: WHOLE, of: ({ jid }) => jid },
    { title: "KLASS", of: ({ klass }) => klass },
    { title: "QUEUE", least: WHOLE, of: ({ queue }) => queue },
    { title: "STATE", of: ({ state }) => state, colour: ({ state }) => colourOf(state) },
    { title: "PRIORITY", of: ({ priority }) => priority },
    { title: "SINCE", least: WHOLE, of: (job) => whenOf(sinceOf(job)) },
    { title: "DATA", isFree: true, of: ({ data }) => data.slice(0, 500) },
  ]);
}

/** When the last thing happened to the job; for one that is put off, when it is due. */
function sinceOf({ scheduled, history }: JobJson): Date | undefined {
  return secondsOf(scheduled) ?? secondsOf(history.at(-1)?.when);
}

/** All that is known of a job. */
export function jobPage(job: JobJson, frame: Frame = {}): string[] {
  const { failure } = job;
  const { colours = hasColours() } = frame;
  const facts = factsOf(
    [
      ["jid", job.jid],
      ["klass", job.klass],
      ["state", job.state],
      ["queue", job.queue],
      ["worker", job.worker],
      ["lock until", dateOf(secondsOf(job.expires))],
      ["due", dateOf(secondsOf(job.scheduled))],
      ["priority", job.priority],
      ["retries left", `${retriesLeft(job)} of ${job.retries}`],
      ["tags", job.tags.join(", ")],
      ["source", job.source ?? ""],
      ["unique key", job.unique ?? ""],
      ["backoff", job.backoff ?? ""],
      ["cutoff", job.cutoff === null ? "" : lengthOf(job.cutoff * 1000)],
      ["waits for", job.dependencies.join(", ")],
      ["awaited by", job.dependents.join(", ")],
      ["made by", job.spawned_from_jid ?? ""],
      ["tracked", job.tracked ? "yes" : ""],
      ["failed", briefOf(failure)],
      ["failed at", dateOf(secondsOf(failure.when))],
      ["failed first", isOther(job.first_failure, failure) ? briefOf(job.first_failure!) : ""],
    ],
    frame,
  );
  const data = [painted("data", "grey", colours), ...dataLines(job.data)];
  const stack = stackLines(failure).map((line) => `  ${plain(line)}`);
  const page = stack.length === 0 ? facts : [...facts, "", painted("failure", "grey", colours)];
  return [...page, ...stack, "", ...data, "", ...historyLines(job, frame)];
}

/** A job that had none left when it failed has one less, as the protocol tells it. */
export const retriesLeft = ({ remaining }: JobJson) => Math.max(0, remaining);

const briefOf = (failure: FailureJson) =>
  failure.group === undefined ? "" : `${failure.group}: ${messageOf(failure)}`;

/** The message of a failure without the stack that most have, for where there is one line. */
export const messageOf = ({ message = "" }: FailureJson) => message.split("\n", 1)[0]!;

/** A message of several lines, such as a stack, by its lines. */
function stackLines({ message = "" }: FailureJson): string[] {
  return message.includes("\n") ? message.trimEnd().split("\n").slice(0, MAX_LINES) : [];
}

const isOther = (first: FailureJson | undefined, last: FailureJson) =>
  first?.group !== undefined && (first.group !== last.group || first.message !== last.message);

/** Lines of data that are shown of a job. */
const MAX_LINES = 200;

/** The data with a member to a line, and data that is not JSON as it is. Numbers and escapes stay. */
export function dataLines(text: string): string[] {
  const lines = isJson(text) ? laidOut(text).split("\n") : [text];
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${plain(line)}`);
  const left = lines.length - shown.length;
  return left > 0 ? [...shown, `  ... and ${left} lines more: see --json`] : shown;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function historyLines({ history }: JobJson, frame: Frame): string[] {
  const columns: Column<JobJson["history"][0]>[] = [
    { title: "WHEN", least: DATE_LEAST, of: ({ when }) => dateOf(secondsOf(when)) },
    { title: "WHAT", of: ({ what }) => what },
    { title: "DETAILS", isFree: true, of: ({ what: _, when: __, ...rest }) => detailsOf(rest) },
  ];
  return tableOf(history, columns, frame);
}

function detailsOf(rest: Record<string, unknown>): string {
  const told = Object.entries(rest).map(([name, value]) => {
    return `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`;
  });
  return told.join(" ");
}
