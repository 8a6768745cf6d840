import type { JobJson } from "../../client/job-json.ts";
import { messageOf } from "../jobs.ts";
import { DATE_LEAST, dateOf, secondsOf } from "../moments.ts";
import { plain } from "../plain.ts";
import { tableOf, WHOLE } from "../table.ts";
import type { Verb } from "../verb.ts";
import { COUNT, OFFSET } from "./listing.ts";

export const failed: Verb = {
  name: "failed",
  about: "Count failed jobs by group, or list those of one group.",
  words: [{ word: "[group]", about: "the group" }],
  flags: [COUNT, OFFSET],
  examples: ["qless failed", "qless failed smtp-timeout --count 100"],
  at: "queues",
  async run(desk) {
    const [group] = desk.words;
    const calls = await desk.calls();
    const page = [desk.flags.whole("offset") ?? 0, desk.flags.whole("count") ?? 25];
    if (group === undefined) {
      const groups = await calls.json<Record<string, number>>("failed", []);
      desk.out.show(groups, () => groupsTable(groups));
      return undefined;
    }
    type Found = { total: number; jobs: string[] };
    const { total, jobs: jids } = await calls.json<Found>("failed", [group, ...page]);
    const jobs = jids.length === 0 ? [] : await calls.json<JobJson[]>("multiget", jids);
    desk.out.show({ total, jobs }, () => failuresTable(jobs, total));
    return undefined;
  },
};

function groupsTable(groups: Readonly<Record<string, number>>): string[] {
  const rows = Object.entries(groups).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return ["No failed jobs."];
  return tableOf(rows, [
    { title: "GROUP", least: WHOLE, of: ([group]) => group },
    { title: "JOBS", of: ([, count]) => count },
  ]);
}

function failuresTable(jobs: readonly JobJson[], total: number): string[] {
  if (jobs.length === 0) return ["No jobs."];
  const table = tableOf(jobs, [
    { title: "JID", least: WHOLE, of: ({ jid }) => jid },
    { title: "KLASS", of: ({ klass }) => klass },
    { title: "QUEUE", least: WHOLE, of: ({ queue }) => queue },
    { title: "FAILED", least: DATE_LEAST, of: ({ failure }) => dateOf(secondsOf(failure.when)) },
    { title: "MESSAGE", isFree: true, of: ({ failure }) => messageOf(failure).slice(0, 500) },
  ]);
  return total > jobs.length ? [...table, plain(`${jobs.length} of ${total}`)] : table;
}
