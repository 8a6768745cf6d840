import { invalid } from "../../client/times.ts";
import type { WorkerCounts, Workers } from "../../client/workers.ts";
import { Refused } from "../../engine.ts";
import type { Desk } from "../desk.ts";
import { lengthOf, whenOf } from "../moments.ts";
import { plain } from "../plain.ts";
import { tableOf, WHOLE } from "../table.ts";
import type { Verb } from "../verb.ts";

export const workers: Verb = {
  name: "workers",
  about: "List the workers and what they do, or the jobs of one.",
  words: [{ word: "[worker]", about: "this worker alone" }],
  flags: [{ flag: "--forget", about: "take the worker off the list; its locks stay" }],
  examples: ["qless workers", "qless workers host-4711-a1b2c3", "qless workers old-one --forget"],
  at: "queues",
  async run(desk) {
    const [name] = desk.words;
    if (desk.flags.is("forget")) await forget(desk, name);
    else if (name === undefined) await list(desk);
    else await showJobs(desk, name);
    return undefined;
  },
};

async function list(desk: Desk): Promise<void> {
  const { workers } = await desk.open();
  const told = await (await desk.calls()).json<unknown[]>("workers", []);
  const all = await workers.list();
  desk.out.show(told, () => (all.length === 0 ? ["No workers."] : workersTable(all)));
}

async function forget(desk: Desk, name: string | undefined): Promise<void> {
  if (name === undefined) throw invalid("Which worker? Say qless workers <worker> --forget");
  const { workers } = await desk.open();
  await checkKnown(workers, name);
  await workers.deregister(name);
  desk.out.show({ forgotten: [name] }, () => [plain(`${name} is off the list`)]);
}

async function showJobs(desk: Desk, name: string): Promise<void> {
  const { workers } = await desk.open();
  const held = await workers.get(name);
  const rows = [
    ...held.jobs.map((jid) => ({ jid, lock: "lasts" })),
    ...held.stalled.map((jid) => ({ jid, lock: "has expired" })),
  ];
  // One that was forgotten may hold jobs still.
  if (rows.length === 0) await checkKnown(workers, name);
  const columns = [
    { title: "JID", least: WHOLE, of: ({ jid }: { jid: string }) => jid },
    { title: "LOCK", of: ({ lock }: { lock: string }) => lock },
  ];
  desk.out.show(held, () => (rows.length === 0 ? ["No jobs."] : tableOf(rows, columns)));
}

/** Workers that the list tells of at most; a name may stand behind the last of these. */
const LISTED = 1000;

async function checkKnown(workers: Workers, name: string): Promise<void> {
  const all = await workers.list();
  if (all.length >= LISTED || all.some((one) => one.name === name)) return;
  throw new Refused("NO_SUCH_WORKER", `There is no worker ${name}: see qless workers`);
}

export function workersTable(all: readonly WorkerCounts[]): string[] {
  const facts = (one: WorkerCounts) => one.present?.facts;
  return tableOf(all, [
    { title: "WORKER", least: WHOLE, of: ({ name }) => name },
    { title: "JOBS", of: ({ jobs }) => jobs },
    {
      title: "STALLED",
      of: ({ stalled }) => stalled,
      colour: ({ stalled }) => (stalled > 0 ? "red" : undefined),
    },
    { title: "QUEUES", isFree: true, of: ({ present }) => present?.queues.join(",") },
    { title: "HANDS", of: (one) => textOf(facts(one)?.concurrency) },
    { title: "MODEL", of: (one) => textOf(facts(one)?.model) },
    { title: "HOST", of: (one) => textOf(facts(one)?.host) },
    { title: "PID", of: (one) => textOf(facts(one)?.pid) },
    { title: "MEMORY", of: (one) => megabytes(facts(one)?.memory) },
    { title: "LAG", of: (one) => lag(facts(one)?.lag) },
    { title: "SINCE", least: WHOLE, of: (one) => sinceOf(facts(one)?.since) },
  ]);
}

/** Facts are what a worker of any make wrote: of whatever type. */
const textOf = (fact: unknown) =>
  typeof fact === "string" || typeof fact === "number" ? String(fact) : "";
const megabytes = (fact: unknown) => (typeof fact === "number" ? `${fact}M` : "");
const lag = (fact: unknown) => (typeof fact === "number" ? lengthOf(fact) : "");

function sinceOf(fact: unknown): string {
  const moment = new Date(typeof fact === "string" ? fact : Number.NaN);
  return Number.isNaN(moment.getTime()) ? "" : whenOf(moment);
}
