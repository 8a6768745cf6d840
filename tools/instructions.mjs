/**
 * Counts the instructions of redis-server per job, and compares them with the state that the budget
 * of decision 0012 refers to. Unlike times, instructions hardly vary from run to run.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  budgetTable,
  compare,
  countsTable,
  differences,
  isExceeded,
} from "./instructions/budget.mjs";
import { buildBase } from "./instructions/build-base.mjs";
import { CannotMeasure, environmentOf, findPrograms } from "./instructions/environment.mjs";
import { measure } from "./instructions/sequence.mjs";

const HELP = `Usage: node tools/instructions.mjs [dist] [options]

Counts the instructions of redis-server per job with the library in the folder dist (default: dist),
under valgrind, and compares them with the counts in bench/instructions.json.

  --base <base>      measure this base too and compare with it instead: a dist folder, or a commit,
                     which is built in a temporary folder
  --per <counts>     jobs per call, separated by commas (default: 1,5,10,50)
  --jobs <count>     jobs measured for each, at least 1 (default: 2000)
  --record <state>   store the counts in bench/instructions.json as the base, under this name
  --help             print this help

Exit codes: 0 within the budget, 1 budget exceeded, 2 not measured or not comparable.`;

const TABLE = fileURLToPath(new URL("../bench/instructions.json", import.meta.url));
const MOST_JOBS = 100_000;
/** How long one measurement may take, in milliseconds: for itself, and for each job. */
const LIMIT_MS = 120_000;
const LIMIT_PER_JOB_MS = 100;

const say = (text) => process.stdout.write(`${text}\n`);

function settings() {
  let parsed;
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        base: { type: "string" },
        per: { type: "string", default: "1,5,10,50" },
        jobs: { type: "string", default: "2000" },
        record: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new CannotMeasure(`${error.message}\n\n${HELP}`);
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1) throw new CannotMeasure(`One dist folder is expected.\n\n${HELP}`);
  return {
    ...values,
    dist: folderOf(positionals[0] ?? fileURLToPath(new URL("../dist", import.meta.url))),
    jobs: wholeOf("--jobs", values.jobs, MOST_JOBS),
    per: values.per.split(",").map((text) => wholeOf("--per", text, 500)),
  };
}

function wholeOf(flag, text, most) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  throw new CannotMeasure(`${flag} "${text}" is not a whole number from 1 to ${most}.`);
}

const hasLibrary = (folder) => existsSync(join(folder, "qless.functions.lua"));

function folderOf(path) {
  const folder = resolve(path);
  if (hasLibrary(folder)) return folder;
  throw new CannotMeasure(`${path} has no qless.functions.lua: run "npm run build" first.`);
}

async function countsOf(programs, dist, { per, jobs }) {
  const counts = {};
  for (const perCall of per) {
    const whole = Math.ceil(jobs / perCall) * perCall;
    const limitMs = LIMIT_MS + whole * LIMIT_PER_JOB_MS;
    counts[perCall] = await measure(programs, dist, { perCall, jobs: whole, limitMs });
  }
  return counts;
}

/** Compares with the counts of `--base`, or with the stored ones if they come from this environment. */
async function compared(programs, asked, now) {
  if (asked.base !== undefined) {
    const dist = hasLibrary(resolve(asked.base)) ? resolve(asked.base) : buildBase(asked.base);
    const base = await countsOf(programs, dist, asked);
    say(`\nInstructions per job in the base ${asked.base}\n\n${countsTable(base)}`);
    return compare(base, now);
  }
  const stored = JSON.parse(readFileSync(TABLE, "utf8"));
  const other = differences(
    { ...stored.environment, jobs: stored.jobs },
    { ...environmentOf(programs), jobs: asked.jobs },
  );
  if (other.length > 0) {
    throw new CannotMeasure(
      `The stored counts of ${stored.state} cannot be compared with these: they were measured in ` +
        `another environment. Pass --base ${stored.state} to build and measure that state here.\n\n` +
        other.join("\n"),
    );
  }
  say(`\nInstructions per job in ${stored.state}, as stored\n\n${countsTable(stored.counts)}`);
  return compare(stored.counts, now);
}

function record(programs, { record: state, jobs }, counts) {
  const stored = { state, jobs, environment: environmentOf(programs), counts };
  writeFileSync(TABLE, `${JSON.stringify(stored, null, 2)}\n`);
  say(`\nStored in ${TABLE}`);
}

async function main() {
  const asked = settings();
  if (asked.help) return say(HELP);
  const programs = findPrograms();
  const now = await countsOf(programs, asked.dist, asked);
  say(`Instructions of redis-server per job in ${asked.dist}\n\n${countsTable(now)}`);
  if (asked.record !== undefined) return record(programs, asked, now);
  const rows = await compared(programs, asked, now);
  say(`\nChange against the base\n\n${budgetTable(rows)}`);
  if (isExceeded(rows)) {
    say("\nThe budget is exceeded.");
    process.exitCode = 1;
  }
}

// Without a handler the process would end without its exit listeners, which end the server.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(2));

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof CannotMeasure ? error.message : error.stack}\n`);
  process.exit(2);
}
