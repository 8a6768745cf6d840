import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { JobJson } from "../../src/client/job-json.ts";
import { connect } from "../../src/connect.ts";
import { freshNamespace, jidsOf, popped, redisUrl } from "../engines.ts";
import { folderOf, start } from "./support.ts";

/** A namespace goes from one engine to the other and back, and is the same. */

/** How many jobs; the whole by `npm run test:export`. */
const JOBS = Number(process.env.EXPORT_JOBS ?? 2000);
const LONG = { timeout: 120_000 + JOBS * 40 };
const SLICE = 500;

/** Data that lines, terminals and numbers might stumble over. */
const DATA = ['{"n":12345678901234567890}', '"a\u2028b\u0085\\u001b"', "[1.0,1e2]", '"\u{1f600}é"'];

/** Puts jobs, and brings a part of them into each state there is. */
async function fill({ engine }: Client, count: number): Promise<void> {
  for (let from = 0; from < count; from += SLICE) {
    const words: (string | number)[] = ["me"];
    for (let i = from; i < Math.min(count, from + SLICE); i++) words.push(...jobWords(i));
    await engine.call("put.many", words);
  }
  const part = Math.floor(count / 10);
  await ended(engine, part, (jid, lease) => ["complete", jid, lease, 2, "data", '{"done":1}']);
  await ended(engine, part, (jid, lease) => {
    return ["fail", jid, lease, 4, "group", "smtp", "message", "no\nroute"];
  });
  await ended(engine, part, (jid, lease) => ["retry", jid, lease, 2, "delay", 5000]);
  await engine.call("pop", ["q2", "w", part]);
  await engine.call("timeout", jidsOf(popped(await engine.call("pop", ["q2", "w", 20]))));
  await engine.call("track", ["track", "job-1"]);
  await engine.call("recur", ["q1", "again", "k", "{}", "interval", 3600, 3600]);
  await engine.call("cron.put", ["s", "q1", "k", "{}", "0 9 * * *", "UTC", 2_000_000_000]);
  await engine.call("queue.pause", ["q2", "reason", "moving house"]);
  await engine.call("config.set", ["q0-max-concurrency", 50_000]);
}

function jobWords(i: number): (string | number)[] {
  const options: (string | number)[] = ["priority", i % 7, "tags", JSON.stringify([`t${i % 5}`])];
  if (i % 11 === 0) options.push("depends", JSON.stringify([`job-${i + 1}`]));
  if (i % 13 === 0) options.push("unique", `key-${i}`);
  if (i % 17 === 0) options.push("source", "shop", "retries", 9, "backoff", "fixed 5");
  const delay = i % 10 === 3 ? 100_000 : 0;
  return [`q${i % 3}`, `job-${i}`, `k${i % 2}`, DATA[i % 4]!, delay, options.length, ...options];
}

type Outcome = (jid: string, lease: number) => (string | number)[];

async function ended(engine: Client["engine"], count: number, outcomeOf: Outcome): Promise<void> {
  for (let done = 0; done < count; done += SLICE) {
    const most = Math.min(SLICE, count - done);
    const jobs = popped(await engine.call("pop", ["q0", "w", most, "also", '["q1"]']));
    const outcomes = jobs.flatMap(({ jid, lease }) => outcomeOf(jid, lease));
    await engine.call("finish", ["w", 0, "[]", ...outcomes]);
  }
}

/** All jobs by jid. */
async function jobsOf(client: Client): Promise<Map<string, JobJson>> {
  const all = new Map<string, JobJson>();
  for await (const jids of client.search({}).jids()) {
    const reply = await client.engine.call("multiget", jids);
    for (const job of JSON.parse(reply as string) as JobJson[]) all.set(job.jid, job);
  }
  return all;
}

/** Everything that dump tells, in one order. */
async function dumpOf({ engine }: Client): Promise<Map<string, [string, string][]>> {
  const all = new Map<string, [string, string][]>();
  let cursor = "0";
  do {
    const slice = JSON.parse((await engine.call("dump", [cursor])) as string);
    for (const { key, record, ranking } of slice.entries) {
      const pairs = all.get(key) ?? [];
      const flat = (record ?? ranking) as string[];
      for (let i = 0; i < flat.length; i += 2) {
        const value = flat[i + 1]!;
        pairs.push([
          flat[i]!,
          record === undefined && !value.includes("inf") ? String(Number(value)) : value,
        ]);
      }
      all.set(key, pairs);
    }
    cursor = slice.cursor;
  } while (cursor !== "0");
  for (const pairs of all.values()) pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return all;
}

/** What a job was before its lock was taken away: nobody holds it in the new place. */
function released(job: JobJson): JobJson {
  if (job.state !== "running") return job;
  const { history, ...rest } = job;
  return { ...rest, state: "stalled", worker: "", lease: null, expires: 0, history };
}

test.each([
  ["a file", "Redis"],
  ["Redis", "a file"],
])(`${JOBS} jobs in all states go from %s to %s, and back`, LONG, async (from) => {
  const folder = folderOf();
  const place = (name: string, isFile: boolean) => ({
    url: isFile ? `sqlite:${join(folder, `${name}.db`)}` : redisUrl(),
    namespace: freshNamespace(),
  });
  const places = [
    place("one", from === "a file"),
    place("two", from !== "a file"),
    place("three", from === "a file"),
  ] as const;
  const open = (at: (typeof places)[0]) =>
    connect(at.url, { namespace: at.namespace, onWarning: () => {} });
  const qless = async (at: (typeof places)[0], ...words: string[]) => {
    const env = { QLESS_URL: at.url, QLESS_NAMESPACE: at.namespace };
    const run = start(words, { cwd: folder, env });
    return { code: await run.code(), stderr: run.stderr, stdout: run.stdout };
  };
  const [one, two, three] = places;
  await using first = await open(one);
  await fill(first, JOBS);
  const before = await jobsOf(first);
  const states = new Set([...before.values()].map(({ state }) => state));
  expect([...states].toSorted()).toEqual([
    "complete",
    "depends",
    "failed",
    "running",
    "scheduled",
    "stalled",
    "waiting",
  ]);

  expect(await qless(one, "export", "x.jsonl")).toMatchObject({ code: 0, stderr: "" });
  const imported = await qless(two, "import", "x.jsonl", "--json");
  expect(imported).toMatchObject({ code: 0, stderr: "" });
  const running = [...before.values()].filter(({ state }) => state === "running").length;
  expect(JSON.parse(imported.stdout)).toMatchObject({
    jobs: before.size,
    released: running,
    problems: 0,
  });

  await using second = await open(two);
  const after = await jobsOf(second);
  expect(after.size).toBe(before.size);
  for (const [jid, job] of before) {
    const found = after.get(jid)!;
    // The lock that was taken away is told at the end.
    if (job.state === "running") found.history = found.history.slice(0, job.history.length);
    expect(found).toEqual(released(job));
  }
  expect(await second.config.all()).toEqual(await first.config.all());
  expect(await second.schedules.list()).toEqual(await first.schedules.list());
  expect(await second.recurring.get("again")).toEqual(await first.recurring.get("again"));
  expect(await second.queue("q1").counts()).toEqual(await first.queue("q1").counts());
  expect(await second.queue("q2").counts()).toMatchObject({ pausedReason: "moving house" });
  expect(await second.holderOf("key-13")).toBe(await first.holderOf("key-13"));

  expect(await qless(two, "export", "y.jsonl")).toMatchObject({ code: 0, stderr: "" });
  expect(await qless(three, "import", "y.jsonl")).toMatchObject({ code: 0, stderr: "" });
  await using third = await open(three);
  expect(await dumpOf(third)).toEqual(await dumpOf(second));
  expect(existsSync(join(folder, "y.jsonl"))).toBe(true);
});
