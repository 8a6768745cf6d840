import { jobs } from "../../lib/calls.ts";
import type { Job, State } from "../../lib/shapes.ts";

export interface GraphNode {
  jid: string;
  klass: string;
  state: State | "gone";
  /** Columns to the left are waited for, those to the right wait. */
  level: number;
  row: number;
}

export interface Dependencies {
  nodes: GraphNode[];
  /** From what is waited for to what waits. */
  edges: [from: string, to: string][];
  /** Jobs that were left out. */
  more: number;
}

/** How far the picture goes, and how many jobs it has. */
const DEPTH = 3;
const MAX_NODES = 40;
const MAX_PER_JOB = 12;

/** The jobs that this one waits for and those that wait for it, some steps in both directions. */
export async function graphOf(job: Job, signal: AbortSignal): Promise<Dependencies> {
  const known = new Map<string, GraphNode>();
  const edges: [string, string][] = [];
  const rows = new Map<number, number>();
  let more = 0;
  const add = (jid: string, level: number, found: Job | undefined) => {
    const row = rows.get(level) ?? 0;
    rows.set(level, row + 1);
    const { klass = "", state = "gone" } = found ?? {};
    known.set(jid, { jid, klass, state, level, row });
  };
  add(job.jid, 0, job);
  for (const step of [-1, 1]) {
    let front: Job[] = [job];
    for (let level = step; Math.abs(level) <= DEPTH && front.length > 0; level += step) {
      const wanted: string[] = [];
      for (const one of front) {
        const next = step < 0 ? one.dependencies : one.dependents;
        more += Math.max(0, next.length - MAX_PER_JOB);
        for (const jid of next.slice(0, MAX_PER_JOB)) {
          if (known.size + wanted.length >= MAX_NODES && !known.has(jid)) {
            more += 1;
            continue;
          }
          edges.push(step < 0 ? [jid, one.jid] : [one.jid, jid]);
          if (!known.has(jid) && !wanted.includes(jid)) wanted.push(jid);
        }
      }
      front = await jobs(wanted, signal);
      for (const jid of wanted)
        add(
          jid,
          level,
          front.find((one) => one.jid === jid),
        );
    }
  }
  return { nodes: [...known.values()], edges, more };
}
