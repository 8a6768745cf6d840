/** Tells what was measured: ratios first, then figures, spread and budgets; and where qless loses. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";
import { TURNS } from "./measures.mjs";
import { bars, lines } from "./plots.mjs";
import { redisVersion } from "./redis.mjs";

const PLOTS = new URL("./plots/", import.meta.url);
export const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const quartiles = (list) => {
  const sorted = list.toSorted((a, b) => a - b);
  const quarter = Math.floor(sorted.length / 4);
  return [sorted[quarter], sorted.at(-1 - quarter)];
};
const shown = (value) => {
  if (value === undefined || Number.isNaN(value)) return "-";
  // What is left of nothing may weigh a little less than nothing.
  if (value <= 0) return "0";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
};
const ratioText = (value) => `${value.toFixed(2)}x`;

/** A row of the table for each figure of a measure: the first system is ours, BullMQ is the mark. */
export function rowsOf({ title, systems, rows }, figures) {
  const [ours] = systems;
  return rows.map(({ figure, unit, more, budget, most }) => {
    const of = (name) => figures[name]?.map((round) => round[figure]);
    const ratios = of(ours).map((value, i) => value / of("BullMQ")[i]);
    const medians = Object.fromEntries(
      Object.keys(figures).map((name) => [name, median(of(name))]),
    );
    const ratio = median(ratios);
    return {
      ...{ title, unit, more, budget, most, ours, medians, ratio },
      spread: quartiles(ratios),
      isMet: isMet({ more, budget, most, ratio, own: medians[ours] }),
    };
  });
}

function isMet({ more, budget, most, ratio, own }) {
  if (most !== undefined) return own <= most;
  if (budget === undefined) return undefined;
  return more ? ratio >= budget : ratio <= budget;
}

function budgetText({ more, budget, most, isMet: met }) {
  if (budget === undefined && most === undefined) return "";
  const text = most === undefined ? `${more ? "≥" : "≤"} ${budget}x` : `≤ ${most}`;
  return met ? text : `${text}, **missed**`;
}

export function lineOf(row) {
  const each = Object.entries(row.medians).map(([name, value]) => `${name} ${shown(value)}`);
  const [from, to] = row.spread.map(ratioText);
  const wanted = budgetText(row).replaceAll("*", "");
  const budget = wanted === "" ? "" : `; budget ${wanted}`;
  const ratio = `${ratioText(row.ratio)} BullMQ (half of them ${from} to ${to}${budget})`;
  return `${row.title}, ${row.unit}: ${ratio}; ${each.join(", ")}`;
}

const PEERS = ["BullMQ", "bee-queue", "graphile-worker"];

function table(rows) {
  const head = ["what", "ratio to BullMQ", "half of them", "budget", "qless", ...PEERS];
  const body = rows.map((row) => {
    const [from, to] = row.spread.map((value) => value.toFixed(2));
    const others = PEERS.map((name) => shown(row.medians[name]));
    return [
      `${row.title}, ${row.unit}`,
      `**${ratioText(row.ratio)}**`,
      `${from} to ${to}`,
      budgetText(row),
      shown(row.medians[row.ours]),
      ...others,
    ];
  });
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`);
}

/** Systems that have no column: how they did in the rows that they took part in. */
function asides(rows) {
  return rows.flatMap(({ title, unit, ours, medians }) =>
    Object.entries(medians)
      .filter(([name]) => name !== ours && !PEERS.includes(name))
      .map(([name, value]) => `${title}: ${name} ${shown(value)} ${unit}.`),
  );
}

/** How much slower the same work is beside many others than beside few. */
function crowdRows(title, { figures }) {
  return Object.entries(figures).map(([system, { few, many }]) => {
    const of = (list, name) => median(list.map((one) => one[name]));
    const slower = (name) => of(few, name) / of(many, name);
    const cells = ["put", "worked", "perSecond"].map((name) => ratioText(slower(name)));
    const isOurs = system === "qless";
    const met = slower("perSecond") <= 1.3 ? "≤ 1.3x" : "≤ 1.3x, **missed**";
    return { system, cells: [title, system, ...cells, isOurs ? met : ""], slower };
  });
}

function losses(rows) {
  return rows.flatMap((row) => {
    const own = row.medians[row.ours];
    const ahead = PEERS.filter((name) => {
      const value = row.medians[name];
      return value !== undefined && (row.more ? value > own * 1.05 : value < own / 1.05);
    });
    const list = ahead.map((name) => `${name} ${shown(row.medians[name])}`).join(", ");
    return ahead.length === 0 ? [] : [`- ${row.title}, ${row.unit}: ${list}, qless ${shown(own)}.`];
  });
}

async function machine(versions) {
  const require = createRequire(import.meta.url);
  const version = (name) => JSON.parse(readFileSync(packageOf(require, name), "utf8")).version;
  const [{ model }] = cpus();
  const parts = [
    `${cpus().length} x ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release().split("-")[0]}`,
    `Node ${process.versions.node}, Redis ${redisVersion()} on loopback without persistence`,
    `BullMQ ${version("bullmq")}, bee-queue ${version("bee-queue")}`,
  ];
  const pg = versions.postgres?.split(" ")[0];
  parts.push(
    pg === undefined
      ? "no PostgreSQL at hand, so no queue over it"
      : `graphile-worker ${version("graphile-worker")} on PostgreSQL ${pg} with its default settings`,
  );
  return parts.join("; ");
}

function packageOf(require, name) {
  const paths = require.resolve.paths(name).map((path) => `${path}/${name}/package.json`);
  return paths.find((path) => {
    try {
      return readFileSync(path).length > 0;
    } catch {
      return false;
    }
  });
}

function growthLines({ growth }) {
  const out = [];
  for (const [what, { sizes, commands }] of Object.entries(growth)) {
    const [from, to] = [sizes[0], sizes.at(-1)].map((size) => size.toLocaleString("en"));
    const each = Object.entries(commands).map(([name, list]) => ({
      name,
      times: list.at(-1) / list[0],
    }));
    const worst = each.toSorted((a, b) => b.times - a.times).slice(0, 3);
    const most = worst.map(({ name, times }) => `${name} ${ratioText(times)}`).join(", ");
    out.push(`| ${what}, ${from} to ${to} | ${most} |`);
  }
  return out;
}

function draw(results) {
  mkdirSync(PLOTS, { recursive: true });
  const save = (name, text) => writeFileSync(new URL(name, PLOTS), text);
  const group = (id, label) => {
    const found = results.measures.find((one) => one.id === id);
    return { label, values: found.rows[0].medians };
  };
  const levels = [1, 10, 100];
  const noop = levels.map((level) => group(`noop-${level}`, `no-op, concurrency ${level}`));
  const far = group("far-100", "1 ms of round trip, 100");
  save("throughput.svg", bars("Jobs worked off per second", [...noop, far]));
  save(
    "putting.svg",
    bars("Jobs put per second", [group("put", "one a call"), group("bulk", "1,000 a call")]),
  );
  Object.entries(results.growth).forEach(([what, { sizes, commands }], i) => {
    const title = `Cost of a call in Redis against the number of ${what}`;
    save(`growth-${i + 1}.svg`, lines(title, sizes, commands, "us"));
  });
}

/** Writes everything down where it is to be kept, and gives the lines that are left to say. */
export async function writeResults(results, { seconds, rounds, keep }) {
  const crowdLines = ["backlog", "delayed"].flatMap((id) =>
    results[id] === undefined ? [] : crowdRows(`a million ${id}`, results[id]),
  );
  const recovered = Object.entries(results.recovery ?? {}).map(
    ([name, value]) =>
      `${name} ${value === undefined ? "not within 180 s" : `${value.toFixed(1)} s`}`,
  );
  const grown = results.growth === undefined ? [] : growthLines(results);
  const rows = results.measures.flatMap((one) => one.rows);
  if (keep) {
    draw(results);
    const text = await document({ results, rows, crowdLines, recovered, grown, seconds, rounds });
    writeFileSync(new URL("./RESULTS.md", import.meta.url), text);
  }
  const crowds = crowdLines.map(
    ({ cells }) =>
      `${cells[0]}, ${cells[1]}: put ${cells[2]}, work ${cells[3]}, both ${cells[4]} as slow`,
  );
  const after = recovered.length === 0 ? [] : [`After SIGKILL: ${recovered.join(", ")}`];
  const missed = rows.filter((row) => row.isMet === false).map((row) => `Missed: ${lineOf(row)}`);
  return [...crowds, ...grown, ...after, ...missed, `${seconds} s in all`];
}

function turnsText(rounds) {
  const all = Object.entries(TURNS).map(
    ([concurrency, { turns, warm, times }]) =>
      `${times * rounds} rounds of ${turns} turns at concurrency ${concurrency}, after ${warm.toLocaleString("en")} jobs to warm up`,
  );
  return all.join("; ");
}

async function document({ results, rows, crowdLines, recovered, grown, seconds, rounds }) {
  const lost = losses(rows);
  const pictures = Object.keys(results.growth).map(
    (what, i) => `![${what}](plots/growth-${i + 1}.svg)`,
  );
  return `# Results

Measured on ${new Date().toISOString().slice(0, 10)} by \`npm run bench\` in ${seconds} s; this file is written by it. Each
measurement ran ${rounds} times, all systems in turns, each in a fresh process, on an empty database. No-op jobs without a longer
round trip were worked off in turns of some tenths of a second, by workers that live side by side, each with a server of its own:
${turnsText(rounds)}. The first tenth of a second of a turn does not count. After each round, every job
had run once and none was left. Ratios are taken within a round or a turn: the median, and the middle half of them. Figures
of different rows or days cannot be compared; the machine is shared and noisy.

${await machine(results.versions)}.

## Against BullMQ

For rates more is better, for everything else less. Budgets are for the ratio.

${table(rows).join("\n")}

${asides(rows).join("\n")}

![Jobs worked off per second](plots/throughput.svg)
![Jobs put per second](plots/putting.svg)

## Beside a million others

How many times as slow the same work is beside a million jobs as beside a thousand: 4,000 jobs put one by one with 200
calls in flight, then as many worked off at concurrency 100.

| others | system | put | work | both | budget |
| --- | --- | --- | --- | --- | --- |
${crowdLines.map(({ cells }) => `| ${cells.join(" | ")} |`).join("\n")}

## After a worker was killed

A worker is killed with SIGKILL while it runs a job; another is there. Until the job starts again, with the defaults of
each: ${recovered.join(", ")}. qless waits for 60 s without a
heartbeat and 10 s of grace; both can be set for each queue. bee-queue looks for lost jobs only where a program calls
\`checkStalledJobs\`, which is not its default.

## What grows

The cost of seventeen commands inside Redis, by the server's own count, while something grows. The three that grow most:

| what grows | the most, as many times |
| --- | --- |
${grown.join("\n")}

${pictures.join("\n")}

## Where qless loses

Everything above in which somebody is ahead by more than a twentieth:

${lost.length === 0 ? "Nothing." : lost.join("\n")}
`;
}
