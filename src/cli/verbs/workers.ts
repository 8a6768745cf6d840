import { invalid } from "../../client/times.ts";
import type { Workers } from "../../client/workers.ts";
import { Refused } from "../../engine.ts";
import type { Desk } from "../desk.ts";
import { plain } from "../plain.ts";
import type { Verb } from "../verb.ts";
import { workerPage, workersPage } from "../workers.ts";

export const workers: Verb = {
  name: "workers",
  about: "List the workers, or show one: what it is, and what it does.",
  words: [{ word: "[worker]", about: "this worker alone" }],
  flags: [{ flag: "--forget", about: "take the worker off the list; its locks stay" }],
  examples: ["qless workers", "qless workers host-4711-a1b2c3", "qless workers old-one --forget"],
  at: "queues",
  async run(desk) {
    const [name] = desk.words;
    if (desk.flags.is("forget")) await forget(desk, name);
    else if (name === undefined) await list(desk);
    else await show(desk, name);
    return undefined;
  },
};

async function list(desk: Desk): Promise<void> {
  const { workers } = await desk.open();
  const told = await (await desk.calls()).json<unknown[]>("workers", []);
  const all = await workers.list();
  desk.out.show(told, () => (all.length === 0 ? ["No workers."] : workersPage(all)));
}

async function forget(desk: Desk, name: string | undefined): Promise<void> {
  if (name === undefined) throw invalid("Which worker? Say qless workers <worker> --forget");
  const { workers } = await desk.open();
  await checkKnown(workers, name);
  await workers.deregister(name);
  desk.out.show({ forgotten: [name] }, () => [plain(`${name} is off the list`)]);
}

async function show(desk: Desk, name: string): Promise<void> {
  const { workers } = await desk.open();
  const held = await workers.get(name);
  const all = await workers.list();
  const one = all.find((worker) => worker.name === name);
  // One that was forgotten may hold jobs still, and a long list may end before its name.
  const isKnown = one !== undefined || all.length >= LISTED;
  if (held.jobs.length + held.stalled.length === 0 && !isKnown) throw noSuchWorker(name);
  desk.out.show(held, () => workerPage(held, one?.present));
}

/** Workers that the list tells of at most; a name may stand behind the last of these. */
const LISTED = 1000;

async function checkKnown(workers: Workers, name: string): Promise<void> {
  const all = await workers.list();
  if (all.length >= LISTED || all.some((one) => one.name === name)) return;
  throw noSuchWorker(name);
}

const noSuchWorker = (name: string) =>
  new Refused("NO_SUCH_WORKER", `There is no worker ${name}: see qless workers`);
