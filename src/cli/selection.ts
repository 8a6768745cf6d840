import type { State } from "../client/job-json.ts";
import type { Criteria } from "../client/search.ts";
import { invalid } from "../client/times.ts";
import type { Flags } from "./flags.ts";
import type { Flag } from "./verb.ts";

export const STATES: readonly State[] = [
  "waiting",
  "running",
  "stalled",
  "scheduled",
  "depends",
  "complete",
  "failed",
];

/** Flags that say which jobs are meant, for search and for verbs that change many. */
export const CRITERIA: readonly Flag[] = [
  { flag: "--state <state>", about: "jobs in this state", choices: STATES },
  { flag: "--queue <queue>", about: "jobs of this queue" },
  { flag: "--klass <klass>", about: "jobs of this klass, or of all that begin as mail.* says" },
  { flag: "--tag <tag>", about: "jobs with this tag" },
  { flag: "--source <source>", about: "jobs from this source" },
  { flag: "--group <group>", about: "jobs that failed in this group" },
  { flag: "--like <part>", about: "jobs with this in their jid" },
  { flag: "--from <time>", about: "jobs in their state since this date, or since 2h ago" },
  { flag: "--to <time>", about: "jobs in their state until then" },
];

/** The criteria that the flags say; undefined when they say none. */
export function criteriaIn(flags: Flags): Criteria | undefined {
  const said = {
    state: flags.text("state") as State | undefined,
    queue: flags.text("queue"),
    klass: flags.text("klass"),
    tag: flags.text("tag"),
    source: flags.text("source"),
    group: flags.text("group"),
    jid: flags.text("like"),
    from: flags.moment("from"),
    to: flags.moment("to"),
  };
  return Object.values(said).some((value) => value !== undefined) ? said : undefined;
}

/** Which jobs a changing verb is about: those named, or those that meet criteria; never both. */
export function selectionIn(jids: readonly string[], flags: Flags): readonly string[] | Criteria {
  const criteria = criteriaIn(flags);
  if (jids.length > 0 && criteria === undefined) return jids;
  if (jids.length === 0 && criteria !== undefined) return criteria;
  const ways = "jids, or criteria such as --queue emails --state failed";
  throw invalid(jids.length === 0 ? `Which jobs? Say ${ways}` : `Say ${ways}, and not both`);
}
