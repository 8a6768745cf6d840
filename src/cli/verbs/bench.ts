import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Calls } from "../../client/calls.ts";
import { newJid } from "../../client/jid.ts";
import { RunningJob } from "../../client/running-job.ts";
import { invalid } from "../../client/times.ts";
import { connect } from "../../connect.ts";
import { placeOf } from "../plain.ts";
import type { Progress } from "../progress.ts";
import { tableOf } from "../table.ts";
import type { Verb } from "../verb.ts";

/** The namespace of the measure, so that it meets no jobs of others. */
const NAMESPACE = "qless-bench";
const QUEUE = "bench";
const WORKER = "bench";
const SLICE = 100;
const MOST = 1_000_000;

export const bench: Verb = {
  name: "bench",
  about: "Measure how many jobs a second this machine puts and runs.",
  flags: [
    { flag: "--jobs <n>", about: "how many jobs (5000)" },
    { flag: "--url <url>", about: "where (an SQLite file that is removed afterwards)" },
    { flag: "--json", about: "print JSON for programs" },
  ],
  examples: ["qless bench", "qless bench --url redis://127.0.0.1 --jobs 20000"],
  notes: `It works in the namespace ${NAMESPACE}, where it leaves no jobs. Others who use the same
machine or server at the same time are slowed down, and slow it down.`,
  at: "nowhere",
  async run(desk) {
    const jobs = desk.flags.whole("jobs") ?? 5000;
    if (jobs < SLICE || jobs > MOST) throw invalid(`--jobs must be from ${SLICE} to ${MOST}`);
    const given = desk.flags.text("url");
    const folder = given === undefined ? mkdtempSync(join(tmpdir(), "qless-bench-")) : undefined;
    const url = given ?? `sqlite:${join(folder!, "bench.db")}`;
    const client = await connect(url, { namespace: NAMESPACE, onWarning: () => {} });
    try {
      const progress = desk.progress("Measuring");
      const results = await measured(client.parts.calls, jobs, progress);
      progress.end();
      await client.queue(QUEUE).forget();
      await client.workers.deregister(WORKER);
      const engine = given === undefined ? "an SQLite file" : placeOf(url);
      desk.out.show({ engine, jobs, results }, () => [
        `${jobs} jobs in ${engine}`,
        ...tableOf(results, [
          { title: "WHAT", of: ({ what }) => what },
          { title: "JOBS/S", of: ({ perSecond }) => perSecond },
          { title: "MS/CALL", of: ({ msPerCall }) => msPerCall },
        ]),
      ]);
      return undefined;
    } finally {
      await client.close();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Result {
  what: string;
  perSecond: number;
  msPerCall: number;
}

async function measured(calls: Calls, jobs: number, progress: Progress): Promise<Result[]> {
  // Completed jobs go as soon as they can, so that nothing is left over.
  await calls.attempt("config.set", ["jobs-history", 0]);
  await calls.attempt("config.set", ["jobs-history-count", 0]);
  const half = Math.floor(jobs / 2);
  const slices = Math.ceil((jobs - half) / SLICE);
  const results = [
    await timed("put, one by one", half, half, progress, () => putOne(calls)),
    await timed(`put, ${SLICE} at a time`, slices, slices * SLICE, progress, () => putMany(calls)),
    await timed("pop and complete, one by one", half, half, progress, () => runOne(calls)),
    await timed(
      `finish, ${SLICE} at a time`,
      slices + 1,
      slices * SLICE,
      progress,
      finisher(calls),
    ),
  ];
  while (JSON.parse((await calls.attempt("tick", [])) as string).more);
  return results;
}

async function timed(
  what: string,
  times: number,
  jobs: number,
  progress: Progress,
  work: () => Promise<unknown>,
): Promise<Result> {
  const begun = performance.now();
  for (let i = 0; i < times; i++) {
    await work();
    progress.at(i, times);
  }
  const ms = performance.now() - begun;
  const msPerCall = Math.round((ms / times) * 1000) / 1000;
  return { what, perSecond: Math.round((jobs / ms) * 1000), msPerCall };
}

const putOne = (calls: Calls) =>
  calls.attempt("put", [WORKER, QUEUE, newJid(), "bench", '{"a":1}', 0]);

function putMany(calls: Calls): Promise<unknown> {
  const words: (string | number)[] = [WORKER];
  for (let i = 0; i < SLICE; i++) words.push(QUEUE, newJid(), "bench", '{"a":1}', 0, 0);
  return calls.attempt("put.many", words);
}

async function runOne(calls: Calls): Promise<void> {
  const [job] = (await calls.attempt("pop", [QUEUE, WORKER, 1])) as string[];
  if (job === undefined) return;
  const { jid, lease, rawData } = new RunningJob(calls, WORKER, job);
  await calls.attempt("complete", [jid, WORKER, QUEUE, rawData, "lease", lease]);
}

/** Ends what it was given the last time, and takes more. */
function finisher(calls: Calls): () => Promise<void> {
  let held: RunningJob[] = [];
  return async () => {
    const outcomes = held.flatMap(({ jid, lease }) => ["complete", jid, lease, 0]);
    const words = [WORKER, SLICE, JSON.stringify([QUEUE]), ...outcomes];
    const reply = (await calls.attempt("finish", words)) as string[];
    held = reply.slice(held.length).map((job) => new RunningJob(calls, WORKER, job));
  };
}
