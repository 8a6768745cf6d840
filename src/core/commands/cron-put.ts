import { BACKOFF_RULE, readBackoff } from "../backoff.ts";
import { command, type Options } from "../command.ts";
import { MISSED, OVERLAPS, planTick, readCron } from "../crons.ts";
import type { Fields } from "../job.ts";
import { cronKey, cronsKey, jobKey, recurringKey } from "../keys.ts";
import { MAX_BACKLOG } from "../limits.ts";
import { add } from "../pairs.ts";
import { judgeParent } from "../recurring.ts";
import { refuse } from "../refuse.ts";
import type { Pairs, Store } from "../store.ts";
import { includes, tagsJson, unique } from "../tags.ts";

const CRON_OPTIONS = [
  ["priority", "priority"],
  ["tags", "list"],
  ["retries", "whole"],
  ["source", "name"],
  ["backoff", "text"],
  ["overlap", "text"],
  ["missed", "text"],
  ["backlog", "whole"],
  ["jitter", "seconds"],
] as const;

type CronOptions = Options<typeof CRON_OPTIONS>;

/**
 * Defines a schedule. One that is there already and says the same stays as it is, its next tick
 * included, so that every process may put its schedules when it starts.
 */
export const cronPut = command({
  says: "Cron",
  takes: [
    ["jid", "jid"],
    ["queue", "name"],
    ["klass", "name"],
    ["data", "json"],
    ["cron", "name"],
    ["zone", "name"],
    ["next", "time"],
  ],
  options: CRON_OPTIONS,
  gives: "text",
  writes: true,
  frees: false,
  run(store, now, [jid, queue, klass, data, cron, zone, next], options) {
    judgeParent(store, jid);
    judgeOptions(store, options);
    const old = readCron(store, jid);
    if (old === undefined) judgeTaken(store, jid);
    const definition: Pairs = ["queue", queue, "klass", klass, "data", data];
    add(definition, "cron", cron);
    add(definition, "zone", zone);
    addOptions(store, options, definition);
    if (old !== undefined && isSame(old, definition)) return jid;
    if (old === undefined) begin(store, jid);
    define(store, jid, definition);
    if (store.score(cronsKey(), jid) === false) store.rank(cronsKey(), [now, jid]);
    planTick(store, jid, next, old !== undefined && old.paused !== undefined);
    return jid;
  },
});

function judgeOptions(store: Store, { backoff, overlap, missed, backlog, jitter }: CronOptions) {
  if (backoff !== undefined && readBackoff(store, backoff) === undefined) {
    refuse("BAD_ARGUMENT", `Arg "backoff" must be ${BACKOFF_RULE}`);
  }
  if (overlap !== undefined && !includes(OVERLAPS, overlap)) {
    refuse("BAD_ARGUMENT", 'Arg "overlap" must be allow or skip');
  }
  if (missed !== undefined && !includes(MISSED, missed)) {
    refuse("BAD_ARGUMENT", 'Arg "missed" must be skip, one or all');
  }
  if (backlog !== undefined && (backlog < 1 || backlog > MAX_BACKLOG)) {
    refuse("BAD_ARGUMENT", `Arg "backlog" must be from 1 to ${MAX_BACKLOG}`);
  }
  if (jitter !== undefined && jitter < 0) {
    refuse("BAD_ARGUMENT", 'Arg "jitter" must not be negative');
  }
}

/** A new schedule may not be mistaken for something that is there. */
function judgeTaken(store: Store, jid: string): void {
  if (store.field(jobKey(jid), "klass") !== false) {
    refuse("JID_TAKEN", `There is a job ${jid}: give the schedule another jid`);
  }
  if (store.exists(recurringKey(jid))) {
    refuse("JID_TAKEN", `There is a recurring job ${jid}: unrecur it, or use another jid`);
  }
}

/** What may be left out is said with its default, or is empty where there is none. */
function addOptions(store: Store, options: CronOptions, definition: Pairs): void {
  const { text } = store;
  const { retries, priority, tags, backlog, jitter } = options;
  add(definition, "priority", text.decimal(priority ?? 0));
  add(definition, "tags", tagsJson(store, unique(tags ?? [])));
  add(definition, "retries", retries === undefined ? "" : text.integer(retries));
  add(definition, "source", options.source ?? "");
  add(definition, "backoff", options.backoff ?? "");
  add(definition, "overlap", options.overlap ?? "allow");
  add(definition, "missed", options.missed ?? "one");
  add(definition, "backlog", text.integer(backlog ?? 100));
  add(definition, "jitter", text.integer(jitter ?? 0));
}

/** What is left of a record that is no schedule says nothing of the new one. */
function begin(store: Store, jid: string): void {
  store.remove([cronKey(jid)]);
  store.set(cronKey(jid), ["runs", "0", "skipped", "0"]);
}

function isSame(old: Fields, definition: Pairs): boolean {
  for (let i = 0; i < definition.length; i += 2) {
    if ((old[definition[i] as string] ?? "") !== definition[i + 1]) return false;
  }
  return true;
}

const LEFT_OUT = ["retries", "source", "backoff"];

function define(store: Store, jid: string, definition: Pairs): void {
  const said: Pairs = [];
  const none: string[] = [];
  for (let i = 0; i < definition.length; i += 2) {
    const name = definition[i] as string;
    const value = definition[i + 1]!;
    if (value === "" && includes(LEFT_OUT, name)) none.push(name);
    else add(said, name, value);
  }
  store.set(cronKey(jid), said);
  store.unset(cronKey(jid), none);
}
