import assert from "node:assert";
import { same } from "../compare.ts";
import { inMs, pairs, parsed, type Rule } from "./call.ts";
import { failedIn } from "./putting.ts";
import { type Job, seenState, type World } from "./world.ts";

/** What a search must find, and what is told of failures. Histories are so short that one call looks at everything. */

type Criteria = Map<string, string>;

/** The state by which it is listed: who was taken from its worker can be popped, so it waits. */
const listedState = (job: Job, now: number) =>
  job.state === "stalled" ? "waiting" : seenState(job, now);

function sinceOf(job: Job, now: number): number {
  const state = listedState(job, now);
  if (state === "scheduled") return job.due!;
  if (state === "stalled") return job.run!.expires;
  if (state === "running") return job.run!.began;
  if (state === "failed") return job.failure!.at;
  return state === "complete" ? job.completedAt : job.since;
}

const fitsKlass = (klass: string, wanted: string) =>
  wanted.at(-1) === "*" ? klass.indexOf(wanted.slice(0, -1)) === 0 : klass === wanted;

function matches(job: Job, now: number, criteria: Criteria): boolean {
  const agrees = (name: string, own: string | null) =>
    !criteria.has(name) || criteria.get(name) === own;
  const { group } = job.failure ?? { group: null };
  return (
    agrees("state", listedState(job, now)) &&
    agrees("queue", job.queue) &&
    fitsKlass(job.klass, criteria.get("klass") ?? "*") &&
    agrees("source", job.source) &&
    agrees("group", job.state === "failed" ? group : null) &&
    (!criteria.has("tag") || job.tags.includes(criteria.get("tag")!)) &&
    job.jid.includes(criteria.get("jid") ?? "") &&
    (!criteria.has("from") || sinceOf(job, now) >= inMs(criteria.get("from"))) &&
    (!criteria.has("to") || sinceOf(job, now) <= inMs(criteria.get("to")))
  );
}

/** Whether the search comes by a job for certain: it does not go through queues that are forgotten. */
function isMet(world: World, job: Job, criteria: Criteria): boolean {
  const isNamed = ["tag", "source", "group", "queue"].some((name) => criteria.has(name));
  const isApart = job.state === "failed" || job.state === "complete";
  return isNamed || isApart || world.known.get(job.queue) === true;
}

const search: Rule = (world, now, [_cursor, count, ...words]) => {
  return (reply) => {
    const criteria = pairs(words);
    const told = parsed(reply) as { jids: string[]; cursor: string };
    const matching = [...world.jobs.values()].filter((job) => matches(job, now, criteria));
    const jids = matching.map(({ jid }) => jid);
    assert.equal(new Set(told.jids).size, told.jids.length, "no job is found twice");
    for (const jid of told.jids) assert.ok(jids.includes(jid), `${jid} is not what was looked for`);
    if (told.cursor !== "") return assert.equal(told.jids.length, Number(count));
    if (told.jids.length === Number(count)) return;
    for (const job of matching) {
      if (isMet(world, job, criteria)) assert.ok(told.jids.includes(job.jid), `misses ${job.jid}`);
    }
  };
};

/** Groups of the same size come in any order. */
const failures: Rule =
  (world, _now, [offset, limit]) =>
  (reply) => {
    const told = parsed(reply) as { group: string; count: number }[];
    const groups = new Set(world.jobsOf("failed").map(({ failure }) => failure!.group));
    const from = Number(offset || 0);
    const left = Math.max(0, groups.size - from);
    assert.equal(told.length, Math.min(left, Number(limit || 25)));
    assert.equal(new Set(told.map(({ group }) => group)).size, told.length);
    assert.ok(told.every(({ count }, i) => i === 0 || count <= told[i - 1]!.count));
    for (const one of told) same(one, groupShown(world, one.group));
  };

function groupShown(world: World, group: string) {
  const all = failedIn(world, group);
  const newest = all.at(-1)!;
  const sample = all.slice(-10).toReversed();
  return {
    group,
    count: all.length,
    first: all[0]!.failure!.at / 1000,
    last: newest.failure!.at / 1000,
    jid: newest.jid,
    message: newest.failure!.message.split("\n", 1)[0],
    queues: [...new Set(sample.map(({ queue }) => queue))],
  };
}

export const SEARCHING_RULES: Record<string, Rule> = { failures, search };
