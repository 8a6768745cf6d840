/**
 * Measures qless beside its peers, all in one run on one machine, and writes what it finds into
 * bench/RESULTS.md with drawings in bench/plots: `npm run bench`, about twenty minutes; `npm run bench --
 * --quick`, about one, which writes nothing. `--only=noop-10,put` measures some things, and writes nothing;
 * `--rounds=15` takes more turns, for machines that others share.
 */
import { contest, startLag } from "./contest.mjs";
import { crowds } from "./crowds.mjs";
import { growth } from "./growth.mjs";
import { MEASURES } from "./measures.mjs";
import { startPostgres } from "./postgres.mjs";
import { recovery } from "./recovery.mjs";
import { startServer } from "./redis.mjs";
import { lineOf, rowsOf, writeResults } from "./report.mjs";
import { inTurns } from "./turns.mjs";

const quick = process.argv.includes("--quick");
const only = process.argv
  .find((word) => word.startsWith("--only="))
  ?.slice(7)
  .split(",");
const wants = (id) => only === undefined || only.includes(id);
const known = [...MEASURES.map(({ id }) => id), "backlog", "delayed", "growth", "recovery"];
const unknown = only?.find((id) => !known.includes(id));
if (unknown !== undefined) {
  process.stderr.write(`There is no measure ${unknown}; there are ${known.join(", ")}\n`);
  process.exit(2);
}

const asked = Number(process.argv.find((word) => word.startsWith("--rounds="))?.slice(9) ?? 5);
if (!Number.isInteger(asked) || asked < 1 || asked > 100) {
  process.stderr.write("--rounds must be a whole number from 1 to 100\n");
  process.exit(2);
}
const ROUNDS = quick ? 1 : asked;
const SHARE = quick ? 0.2 : 1;
const begun = performance.now();

const clock = () => `${Math.round((performance.now() - begun) / 1000)} s`.padStart(5);
const show = (what) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${clock()}  ${what}`);
};
const say = (line) => {
  show("");
  process.stdout.write(`${process.stderr.isTTY ? "\r" : ""}${line}\n`);
};

const server = await startServer();
const lag = await startLag(server.port);
const postgres = quick ? undefined : await startPostgres();
const dying = quick || !wants("recovery") ? Promise.resolve(undefined) : recovery();
const results = { measures: [], versions: { postgres: postgres?.version } };
try {
  for (const measure of MEASURES) {
    if (!wants(measure.id)) continue;
    const rounds = quick ? 1 : Math.min(ROUNDS * (measure.times ?? 1), measure.rounds ?? Infinity);
    const compete = measure.inTurns ? inTurns : contest;
    const figures = await compete(measure, { server, lag, postgres, rounds, share: SHARE, show });
    const rows = rowsOf(measure, figures);
    for (const row of rows) say(lineOf(row));
    results.measures.push({ id: measure.id, rows });
  }
  for (const delay of [false, true]) {
    const id = delay ? "delayed" : "backlog";
    if (!wants(id)) continue;
    const many = quick ? 20_000 : 1_000_000;
    results[id] = { many, figures: await crowds({ delay, many, rounds: ROUNDS, show }) };
  }
  if (wants("growth")) results.growth = await growth({ share: quick ? 0.01 : 1, show });
  show("Waiting for the jobs of killed workers to run again");
  results.recovery = await dying;
} finally {
  lag.stop();
  await server.stop();
  await postgres?.stop();
}
const seconds = Math.round((performance.now() - begun) / 1000);
const lines = await writeResults(results, { seconds, rounds: ROUNDS, keep: !quick && !only });
for (const line of lines) say(line);
process.exit();
