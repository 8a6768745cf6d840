import { invalid } from "../../client/times.ts";
import type { WorkerCounts } from "../../client/workers.ts";
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
    const { workers } = await desk.open();
    if (desk.flags.is("forget")) {
      if (name === undefined) throw invalid("Which worker? Say qless workers <worker> --forget");
      await workers.deregister(name);
      desk.out.show({ forgotten: [name] }, () => [plain(`${name} is off the list`)]);
    } else if (name === undefined) {
      const told = await (await desk.calls()).json<unknown[]>("workers", []);
      const all = await workers.list();
      desk.out.show(told, () => (all.length === 0 ? ["No workers."] : workersTable(all)));
    } else {
      const held = await workers.get(name);
      const rows = [
        ...held.jobs.map((jid) => ({ jid, lock: "lasts" })),
        ...held.stalled.map((jid) => ({ jid, lock: "has expired" })),
      ];
      const columns = [
        { title: "JID", least: WHOLE, of: ({ jid }: { jid: string }) => jid },
        { title: "LOCK", of: ({ lock }: { lock: string }) => lock },
      ];
      desk.out.show(held, () => (rows.length === 0 ? ["No jobs."] : tableOf(rows, columns)));
    }
    return undefined;
  },
};

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
