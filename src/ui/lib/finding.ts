import { search } from "./calls.ts";
import type { Criteria, Job } from "./shapes.ts";

/** Jobs on one page of a list. */
export const PAGE = 50;
/** Calls that one page may take: a search that finds little looks at a thousand jobs in each. */
const MAX_CALLS = 8;

export interface Finding {
  jobs: Job[];
  /** Where the next page begins; null at the end. */
  cursor: string | null;
  /** Whether it was given up before the page was full. */
  isPartial: boolean;
}

/** A page of jobs from a cursor on. */
export async function find(
  criteria: Criteria,
  from: string,
  signal?: AbortSignal,
): Promise<Finding> {
  const jobs: Job[] = [];
  let cursor: string | null = from;
  for (let calls = 0; calls < MAX_CALLS && cursor !== null && jobs.length < PAGE; calls++) {
    const found = await search(criteria, cursor, PAGE - jobs.length, signal);
    jobs.push(...found.jobs);
    cursor = found.cursor;
  }
  const seen = new Set<string>();
  const once = jobs.filter(({ jid }) => !seen.has(jid) && seen.add(jid));
  return { jobs: once, cursor, isPartial: cursor !== null && jobs.length < PAGE };
}
