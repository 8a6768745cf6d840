import { invalid } from "../../client/times.ts";
import { NoSuchJob, Refused } from "../../engine.ts";
import { type Entry, isEmpty, Reader, wordsOf } from "../carrying.ts";
import { counted } from "../changing.ts";
import type { Desk } from "../desk.ts";
import { EXIT } from "../exit-codes.ts";
import { linesIn, sizeOf } from "../reading.ts";
import { type Verb, YES } from "../verb.ts";

export const importVerb: Verb = {
  name: "import",
  about: "Bring what export wrote into an empty namespace, here or on another engine.",
  words: [{ word: "[file]", about: "where from (the standard input)" }],
  flags: [
    { flag: "--over", about: "write over what is there: to go on after one that was cut off" },
    YES,
  ],
  examples: [
    "qless import jobs.jsonl --url redis://redis.example.com",
    "qless import jobs.jsonl --namespace copy",
  ],
  notes: `Jobs that were running are handed out again, as if their workers had lost them, and cost no
retry. At the end the namespace is checked; exits with 4 if that finds something.`,
  at: "place",
  async run(desk) {
    const [file] = desk.words;
    // A file is read through first, so that one that is damaged changes nothing.
    const total = file === undefined ? undefined : await readThrough(file);
    const calls = await desk.calls();
    if (!(await isEmpty(calls))) {
      if (!desk.flags.is("over")) throw notEmpty(calls.engine.namespace);
      const question = `Write over what is in namespace ${calls.engine.namespace}?`;
      if (!(await desk.isSure(question))) return EXIT.DECLINED;
    }
    const { entries, jobs } = await restored(desk, file, total);
    const released = await release(desk);
    const problems = await disagreements(desk);
    desk.out.show({ entries, jobs, released, problems }, () => [
      `${counted(jobs)} imported, in ${entries} entries`,
      ...(released === 0 ? [] : [`${counted(released)} that ran will be handed out again`]),
      problems === 0 ? "0 disagreements" : `${problems} disagreements: see qless check --repair`,
    ]);
    return problems === 0 ? EXIT.CLEAN : EXIT.FOUND;
  },
};

async function disagreements(desk: Desk): Promise<number> {
  const progress = desk.progress("Checking");
  const onProgress = ({ looked }: { looked: number }) => progress.at(looked);
  const found = await (await desk.open()).maintenance.check({ onProgress });
  progress.end();
  return found.length;
}

function notEmpty(namespace: string) {
  const ways = "say another with --namespace, or --over to write over what is there";
  return invalid(`The namespace ${namespace} is not empty: ${ways}`);
}

async function readThrough(file: string): Promise<number> {
  await sizeOf(file);
  const reader = new Reader();
  for await (const { text, number } of linesIn(file)) reader.read(text, number);
  reader.checkEnd();
  return reader.entries;
}

/** Entries and characters that one call carries. */
const SLICE = 500;
const MAX_CHARACTERS = 1_000_000;

async function restored(
  desk: Desk,
  file: string | undefined,
  total: number | undefined,
): Promise<{ entries: number; jobs: number }> {
  const calls = await desk.calls();
  const reader = new Reader();
  const progress = desk.progress("Importing");
  let jobs = 0;
  let batch: Entry[] = [];
  let characters = 0;
  const send = async () => {
    // Sent again it does the same, so it needs no request id.
    if (batch.length > 0) await calls.attempt("restore", batch.flatMap(wordsOf));
    batch = [];
    characters = 0;
    progress.at(reader.entries, total);
  };
  for await (const { text, number } of linesIn(file)) {
    const entry = reader.read(text, number);
    if (entry === undefined) continue;
    if (entry.key.startsWith("j:")) jobs += 1;
    batch.push(entry);
    characters += text.length;
    if (batch.length >= SLICE || characters >= MAX_CHARACTERS) await send();
  }
  await send();
  progress.end();
  reader.checkEnd();
  return { entries: reader.entries, jobs };
}

/** Takes running jobs from workers that are not here; tells how many. */
async function release(desk: Desk): Promise<number> {
  const client = await desk.open();
  const held: string[] = [];
  for (const state of ["running", "stalled"] as const) {
    for await (const jids of client.search({ state }).jids()) held.push(...jids);
  }
  const calls = await desk.calls();
  const progress = desk.progress("Releasing");
  let released = 0;
  for (const jid of new Set(held)) {
    try {
      await calls.attempt("timeout", [jid]);
      released += 1;
    } catch (error) {
      // Somebody was faster, or came by while the search went on.
      const isGone = error instanceof NoSuchJob;
      if (!isGone && !(error instanceof Refused && error.code === "NOT_RUNNING")) throw error;
    }
    progress.at(released, held.length);
  }
  progress.end();
  return released;
}
