import type { Words } from "../client/calls.ts";
import { answerFrom } from "../client/moving.ts";
import type { Criteria } from "../client/search.ts";
import type { CommandName, QlessError } from "../engine.ts";
import type { Desk } from "./desk.ts";
import { EXIT } from "./exit-codes.ts";
import { plain } from "./plain.ts";
import { selectionIn } from "./selection.ts";

/** A change to jobs, few or many. */
export interface Change {
  /** `Cancel`, as a question begins. */
  verb: string;
  /** `canceled`, as an answer says. */
  done: string;
  command: CommandName;
  wordsFor: (jids: readonly string[]) => Words;
  /** Whether it destroys something, so that even one job is asked about. */
  destroys?: boolean;
}

/** Jobs that one call changes. */
const SLICE = 500;
/** Jobs that could not be changed and are told of. */
const MAX_ERRORS = 100;

interface Report {
  found: number;
  done: number;
  refused: number;
  errors: { jid: string; code: string; reason: string }[];
}

/**
 * Changes the jobs that are named, or all that meet the criteria: these are found and counted first,
 * so that what is agreed to is what is changed.
 */
export async function change(desk: Desk, jids: readonly string[], change: Change): Promise<number> {
  const selection = selectionIn(jids, desk.flags);
  const named = Array.isArray(selection);
  const all = named ? [...new Set(selection)] : await found(desk, selection as Criteria);
  const isAsked = change.destroys === true || !named;
  if (all.length > 0 && isAsked) {
    const question = `${change.verb} ${counted(all.length)}${criteriaText(selection)}?`;
    if (!(await desk.isSure(question))) return EXIT.DECLINED;
  }
  const report = await carriedOut(desk, all, change);
  desk.out.show(report, () => reportLines(report, change));
  return report.refused === 0 ? EXIT.CLEAN : EXIT.REFUSED;
}

/** Jids of all jobs that meet the criteria. */
async function found(desk: Desk, criteria: Criteria): Promise<string[]> {
  const progress = desk.progress("Finding");
  const jids = new Set<string>();
  for await (const slice of (await desk.open()).search(criteria).jids()) {
    for (const jid of slice) jids.add(jid);
    progress.at(jids.size);
  }
  progress.end();
  return [...jids];
}

async function carriedOut(desk: Desk, jids: readonly string[], change: Change): Promise<Report> {
  const { command, wordsFor, verb } = change;
  const report: Report = { found: jids.length, done: 0, refused: 0, errors: [] };
  const calls = await desk.calls();
  const progress = desk.progress(verb);
  for (let from = 0; from < jids.length; from += SLICE) {
    const some = jids.slice(from, from + SLICE);
    const answers = (await calls.write(command, wordsFor(some))) as string[];
    answers.forEach((text, i) => void tally(report, some[i]!, text));
    progress.at(report.done + report.refused, jids.length);
  }
  progress.end();
  return report;
}

function tally(report: Report, jid: string, text: string): void {
  const answer = answerFrom(text);
  if (answer.ok) {
    report.done += 1;
    return;
  }
  report.refused += 1;
  const { code, message } = answer.error as QlessError;
  if (report.errors.length < MAX_ERRORS) report.errors.push({ jid, code, reason: message });
}

function reportLines({ done, refused, errors }: Report, change: Change): string[] {
  const lines = [`${counted(done)} ${change.done}`];
  if (refused > 0)
    lines.push(`${counted(refused)} left as ${refused === 1 ? "it is" : "they are"}:`);
  for (const { jid, code, reason } of errors) lines.push(plain(`  ${jid}: ${code}, ${reason}`));
  if (refused > errors.length) lines.push(`  ... and ${refused - errors.length} more`);
  return lines;
}

export const counted = (jobs: number) => (jobs === 1 ? "1 job" : `${jobs} jobs`);

function criteriaText(selection: readonly string[] | Criteria): string {
  if (Array.isArray(selection)) return "";
  const said = Object.entries(selection).filter(([, value]) => value !== undefined);
  const told = said.map(([name, value]) => `${name === "jid" ? "like" : name} ${value}`);
  return ` (${told.join(", ")})`;
}
