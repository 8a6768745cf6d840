import { newJid } from "../../client/jid.ts";
import type { PutResult, PutWords } from "../../client/put-batch.ts";
import {
  addClaim,
  addExisting,
  addOptions,
  delayOf,
  type PutOptions,
  type Unique,
} from "../../client/put-options.ts";
import { invalid } from "../../client/times.ts";
import { Refused } from "../../engine.ts";
import type { Desk } from "../desk.ts";
import { EXIT } from "../exit-codes.ts";
import type { Flags } from "../flags.ts";
import { checkedJson, type Line, linesIn, sizeOf, textIn } from "../reading.ts";
import type { Verb } from "../verb.ts";

export const put: Verb = {
  name: "put",
  about: "Put a job into a queue; or many, from lines of JSON.",
  words: [
    { word: "<queue>", about: "where to" },
    { word: "<klass>", about: "which code is to run it" },
    { word: "[data]", about: "JSON; @file for that of a file, - for the standard input ({})" },
  ],
  flags: [
    { flag: "--lines", about: "put a job for each line of the data, which is - or @file" },
    { flag: "--jid <jid>", about: "the job's id (a new one)" },
    {
      flag: "--if-exists <how>",
      about: "what to do if the jid exists (keep)",
      choices: ["keep", "replace", "refuse"],
    },
    { flag: "--priority <n>", about: "lower runs sooner (0)" },
    { flag: "--delay <time>", about: "how long to wait first, such as 10m" },
    { flag: "--at <date>", about: "when it may run, such as 2031-01-31T06:00:00Z" },
    { flag: "--retries <n>", about: "how often to try again (5)" },
    { flag: "--backoff <text>", about: "rest before a retry, such as 'exponential 5 cap 600'" },
    { flag: "--tags <a,b>", about: "what to find it by" },
    { flag: "--depends <a,b>", about: "jids that must be complete first" },
    { flag: "--source <name>", about: "where it comes from" },
    { flag: "--cutoff <time>", about: "how long one run may last in all" },
    { flag: "--unique <key>", about: "put nothing while another job holds this key" },
    {
      flag: "--until <event>",
      about: "when the key is free again (complete)",
      choices: ["start", "complete", "failed"],
    },
    { flag: "--for <time>", about: "in place of --until: how long the key is held" },
    {
      flag: "--conflict <how>",
      about: "what becomes of the job that holds the key (keep)",
      choices: ["keep", "replace", "data", "time"],
    },
  ],
  examples: [
    `qless put emails welcome '{"to":"ada@example.com"}'`,
    "qless put reports monthly @report.json --delay 10m --tags acme,monthly",
    "jq -c '.users[]' users.json | qless put emails welcome - --lines",
  ],
  at: "place",
  async run(desk) {
    const options = optionsIn(desk.flags);
    return desk.flags.is("lines") ? putLines(desk, options) : putOne(desk, options);
  },
};

interface Options extends PutOptions {
  claim: Unique | undefined;
}

function optionsIn(flags: Flags): Options {
  const key = flags.text("unique");
  const claim = {
    key,
    until: flags.text("until") as Unique["until"],
    for: flags.time("for"),
    conflict: flags.text("conflict") as Unique["conflict"],
  };
  const isHalf = key === undefined && Object.values(claim).some((value) => value !== undefined);
  if (isHalf) throw invalid("--until, --for and --conflict are about a key: say --unique as well");
  const at = flags.text("at");
  if (at !== undefined && Number.isNaN(Date.parse(at))) {
    throw invalid("--at must be a date and time such as 2031-01-31T06:00:00Z");
  }
  return {
    jid: flags.text("jid"),
    ifExists: flags.text("if-exists") as PutOptions["ifExists"],
    priority: flags.number("priority"),
    delay: flags.time("delay"),
    at,
    retries: flags.whole("retries"),
    backoff: flags.text("backoff"),
    tags: flags.names("tags"),
    depends: flags.names("depends"),
    source: flags.text("source"),
    cutoff: flags.time("cutoff"),
    claim: key === undefined ? undefined : claim,
  };
}

async function putOne(desk: Desk, options: Options): Promise<undefined> {
  const [queue, klass, word = "{}"] = desk.words as [string, string, string?];
  const data = checkedJson((await textIn(word)).trim(), "Data");
  const job = wordsOf(queue, klass, data, options);
  const { batch } = (await desk.open()).parts;
  const result = await batch.put(job, {});
  desk.out.show({ ...result }, () => [lineOf(result, job[1] as string)]);
  return undefined;
}

function lineOf({ jid, outcome }: PutResult, asked: string): string {
  if (outcome === "created") return jid;
  if (outcome !== "kept") return `${jid} (${outcome})`;
  return jid === asked ? `${jid} (kept: it exists)` : `${jid} (kept: it holds the key)`;
}

/** The words of a job as put.many takes them. Data stays the text that it is. */
function wordsOf(queue: string, klass: string, data: string, options: Options): PutWords {
  const { jid = newJid(), claim, ...rest } = options;
  const said: (string | number)[] = [];
  addExisting(said, options, claim !== undefined);
  addOptions(said, rest);
  if (claim !== undefined) {
    said.push("unique", claim.key!);
    addClaim(said, claim);
  }
  return [queue, jid, klass, data, delayOf(rest), said.length, ...said];
}

/** Jobs that travel in one call. */
const SLICE = 500;

async function putLines(desk: Desk, options: Options): Promise<number> {
  const [queue, klass, word = "-"] = desk.words as [string, string, string?];
  const file = word === "-" ? undefined : word.slice(1);
  if (file !== undefined && !word.startsWith("@")) {
    throw invalid("--lines reads a file or the standard input: say @file, or -");
  }
  if (options.jid !== undefined || options.ifExists !== undefined) {
    throw invalid("--jid and --if-exists are for one job: omit them with --lines");
  }
  const total = file === undefined ? undefined : await checkedLines(file);
  const { batch } = (await desk.open()).parts;
  const report: Report = { put: 0, changed: 0, kept: 0, refused: 0 };
  const progress = desk.progress("Putting");
  const send = async (lines: readonly Line[]) => {
    const jobs = lines.map(({ text }) => wordsOf(queue, klass, text, options));
    const done = await Promise.allSettled(jobs.map((job) => batch.put(job, {})));
    done.forEach((one, i) => void count(report, one, lines[i]!));
    progress.at(sumOf(report), total);
  };
  let lines: Line[] = [];
  for await (const line of linesIn(file)) {
    if (file === undefined && !isJson(line.text)) {
      await send(lines);
      checkedLine(line, `; ${report.put} jobs before it are put`);
    }
    lines.push(line);
    if (lines.length < SLICE) continue;
    await send(lines);
    lines = [];
  }
  await send(lines);
  progress.end();
  const { put, changed, kept, refused } = report;
  desk.out.show(report, () => [`${put} put, ${changed} changed, ${kept} kept, ${refused} refused`]);
  return report.refused === 0 ? EXIT.CLEAN : EXIT.REFUSED;
}

/** A file is read through before the first job is put, so that a bad line changes nothing. */
async function checkedLines(file: string): Promise<number> {
  await sizeOf(file);
  let total = 0;
  for await (const line of linesIn(file)) {
    checkedLine(line, "; nothing was put");
    total += 1;
  }
  return total;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function checkedLine({ number, text }: Line, hint: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw invalid(`Line ${number} is not JSON (${(error as Error).message})${hint}`);
  }
}

/** `put` counts new jobs and those that were put again; `changed` and `kept`, holders of a key. */
type Report = { put: number; changed: number; kept: number; refused: number };

const sumOf = ({ put, changed, kept, refused }: Report) => put + changed + kept + refused;

function count(report: Report, done: PromiseSettledResult<PutResult>, { number }: Line): void {
  if (done.status === "fulfilled") {
    const { outcome } = done.value;
    report[outcome === "kept" || outcome === "changed" ? outcome : "put"] += 1;
    return;
  }
  if (!(done.reason instanceof Refused)) throw done.reason;
  // Every line has the same queue, klass and options: if these are wrong, none can be right.
  if (report.put === 0 && report.refused === 0 && number === 1) throw done.reason;
  report.refused += 1;
}
