import { filterText } from "../../lib/filter.ts";
import { exact, length, plural } from "../../lib/format.ts";
import { linkTo, queueLink, searchLink } from "../../lib/route.ts";
import { flowOf, samplesOf } from "../../lib/samples.ts";
import type { Counts, Worker } from "../../lib/shapes.ts";
import type { Head } from "./heads.ts";

/** Something that somebody should see to. */
export interface Problem {
  key: string;
  tone: "bad" | "warned" | "note";
  text: string;
  link: string;
}

/** A backlog that grows counts from so many jobs on, over so many seconds. */
const BACKLOG = 50;
const GROWING_S = 40;
/** An event loop that is late by so many milliseconds at least. */
const LAG_MS = 1000;

const queueProblems: ((queue: Counts, head: Head | undefined) => Problem | undefined)[] = [
  stalled,
  unworked,
  unhandled,
  growing,
  paused,
];

/** What is wrong, the worst first. */
export function problemsOf(
  queues: readonly Counts[],
  workers: readonly Worker[],
  heads: ReadonlyMap<string, Head>,
): Problem[] {
  const ofQueues = queues.flatMap((queue) =>
    queueProblems.flatMap((judge) => judge(queue, heads.get(queue.name)) ?? []),
  );
  const tones = { bad: 0, warned: 1, note: 2 };
  return [...ofQueues, ...workers.flatMap(workerProblems)].toSorted(
    (a, b) => tones[a.tone] - tones[b.tone],
  );
}

const waits = (n: number) => `${plural(n, "job")} ${n === 1 ? "waits" : "wait"}`;

function stalled({ name, stalled: n }: Counts): Problem | undefined {
  if (n === 0) return undefined;
  const lost = n === 1 ? "has lost its worker: its lock" : "have lost their workers: their locks";
  const text = `${plural(n, "job")} in ${name} ${lost} ${n === 1 ? "has" : "have"} expired`;
  return { key: `stalled ${name}`, tone: "bad", text, link: queueLink(name, { state: "stalled" }) };
}

function unworked(queue: Counts, head: Head | undefined): Problem | undefined {
  const { name, waiting } = queue;
  const silent = head?.reasons.find(({ reason }) => reason === "not-asked");
  if (silent === undefined || queue.paused) return undefined;
  const since = typeof silent.since === "number" ? ` for ${length(head!.now - silent.since)}` : "";
  const text = `Nobody works on ${name}: ${waits(waiting)}, and no worker has asked${since}`;
  return { key: `unworked ${name}`, tone: "bad", text, link: queueLink(name) };
}

function unhandled(queue: Counts, head: Head | undefined): Problem | undefined {
  const missing = head?.reasons.find(({ reason }) => reason === "no-handler");
  if (missing === undefined) return undefined;
  const klass = String(missing.klass);
  const text = `No worker of ${queue.name} handles ${klass}, which is next in line`;
  const link = searchLink(filterText({ queue: queue.name, klass }));
  return { key: `unhandled ${queue.name}`, tone: "bad", text, link };
}

function growing({ name, waiting }: Counts): Problem | undefined {
  const list = samplesOf(name);
  const last = list.at(-1);
  const first = list.find(({ at }) => last !== undefined && at >= last.at - 120);
  if (last === undefined || first === undefined || last.at - first.at < GROWING_S) return undefined;
  const grown = last.waiting - first.waiting;
  if (
    waiting < BACKLOG ||
    grown < waiting / 10 ||
    flowOf(name).drain !== Number.POSITIVE_INFINITY
  ) {
    return undefined;
  }
  const text = `The backlog of ${name} grows: ${exact(grown)} more in ${length(last.at - first.at)}, ${exact(waiting)} wait`;
  return { key: `growing ${name}`, tone: "warned", text, link: queueLink(name) };
}

function paused({ name, paused: is, waiting, paused_reason: why }: Counts): Problem | undefined {
  if (!is || waiting === 0) return undefined;
  const because = why === null ? "" : ` (${why})`;
  const text = `${name} is paused${because} while ${waits(waiting)}`;
  return { key: `paused ${name}`, tone: "note", text, link: queueLink(name) };
}

function workerProblems({ name, present }: Worker): Problem[] {
  const { lag = 0, unhandled: klasses = [] } = present?.facts ?? {};
  const link = linkTo(["workers", name]);
  const problems: Problem[] = [];
  if (lag >= LAG_MS) {
    const text = `${name} is slow to react: its event loop was late by ${length(lag / 1000)}`;
    problems.push({ key: `lag ${name}`, tone: "warned", text, link });
  }
  if (klasses.length > 0) {
    const text = `${name} was given jobs that it has no handler for: ${klasses.slice(0, 5).join(", ")}`;
    problems.push({ key: `klasses ${name}`, tone: "warned", text, link });
  }
  return problems;
}
