import type { Command, Param } from "../../core/command.ts";
import { perform } from "../../core/dispatch.ts";
import { enterByLegacyScript } from "../../core/entry.ts";
import { stateIn } from "../../core/job.ts";
import { jobsJson } from "../../core/job-json.ts";
import { jobKey } from "../../core/keys.ts";
import { MAX_COUNT } from "../../core/limits.ts";
import { REFUSALS } from "../../core/refuse.ts";
import type { Store } from "../../core/store.ts";
import type { Reply } from "../../core/text.ts";
import { clock } from "./clock.ts";
import { refusalText } from "./entry.ts";
import { fitGroup, textList } from "./fitting.ts";
import { checkJson, cleaned } from "./given-json.ts";
import { readFirst } from "./read-first.ts";
import { store } from "./store.ts";

/**
 * The calling convention of qless-core: no keys, `ARGV = command, now, arguments...`, errors as
 * sentences. The commands are the core's own; what existing clients know otherwise is here.
 */

const NAMESPACE = "ql";

/** The commands that the original had. */
const KNOWN: { [name: string]: boolean } = {};
for (const name of [
  "get",
  "multiget",
  "put",
  "requeue",
  "pop",
  "peek",
  "heartbeat",
  "complete",
  "fail",
  "retry",
  "depends",
  "priority",
  "timeout",
  "log",
  "cancel",
  "track",
  "tag",
  "jobs",
  "failed",
  "unfail",
  "queues",
  "length",
  "pause",
  "unpause",
  "queue.forget",
  "workers",
  "worker.deregister",
  "stats",
  "config.get",
  "config.set",
  "config.unset",
  "recur",
  "unrecur",
  "recur.get",
  "recur.update",
  "recur.tag",
  "recur.untag",
]) {
  KNOWN[name] = true;
}

type Load = (this: void, name: string) => Command;

/** The whole script: reads the call, runs it, and words a refusal as clients expect it. */
export function main(load: Load, keys: string[], argv: string[]): unknown {
  if (keys.length > 0) return worded("No Keys should be provided");
  const name = argv.shift();
  if (name === undefined) return worded("Must provide a command");
  if (KNOWN[name] === undefined) return worded("Unknown command " + cleaned(name));
  const now = argv.shift();
  if (now === undefined || store.text.number(now) === undefined) {
    return worded('Arg "now" missing or not a number: nil');
  }
  readCountOfNone(name, argv);
  if (name === "fail") fitGroup(argv, 2);
  if (name === "retry") fitGroup(argv, 4);
  if (asksForNoJob(name, argv)) return undefined;
  const command = adapted(name, load(name), argv);
  enterByLegacyScript();
  const [done, reply] = pcall(run, command, now, argv);
  if (done) return reply;
  return refusedReply(name, command.says, refusalText(reply, argv));
}

/** A refusal in the words of the command; what Redis itself says stays as it is. */
function refusedReply(name: string, says: string, text: string): unknown {
  const [code, reason] = string.match(text, "^([A-Z_]+) (.*)$");
  if (code === undefined || !isRefusal(code)) return redis.error_reply(text);
  const other = OTHER_WORKER[name];
  const own = code === "LOCK_LOST" && other !== undefined ? other : HANDED_OUT;
  return worded(says + "(): " + gsubPlain(reason!, HANDED_OUT, own));
}

/** How each command says that the job has another holder. */
const HANDED_OUT = "has been handed out to another worker";
const OTHER_WORKER: { [name: string]: string } = {
  heartbeat: "given out to another worker",
  fail: "running with another worker",
  retry: "has been given to another worker",
};

function gsubPlain(text: string, from: string, to: string): string {
  const [at, end] = string.find(text, from, 1, true);
  if (at === undefined) return text;
  return string.sub(text, 1, at - 1) + to + string.sub(text, end! + 1);
}

function isRefusal(code: string): boolean {
  for (const known of REFUSALS) if (known === code) return true;
  return false;
}

/** In these lists a count of none used to mean all, for so Redis reads it. */
function readCountOfNone(name: string, argv: string[]): void {
  const state = argv[0];
  let at = -1;
  if (name === "failed" || (name === "jobs" && state === "complete")) at = 2;
  if (name === "tag" && state === "get") at = 3;
  if (name === "jobs" && (state === "scheduled" || state === "depends" || state === "recurring")) {
    at = 3;
  }
  if (at > 0 && argv[at] === "0") argv[at] = store.text.integer(MAX_COUNT);
}

/**
 * Clients look up what a job does not have, such as the recurring job that it comes from, with an
 * empty jid, and expect that there is none.
 */
function asksForNoJob(name: string, argv: string[]): boolean {
  if (name === "multiget") {
    for (let i = argv.length - 1; i >= 0; i--) if (argv[i] === "") table.remove(argv, i + 1);
    return false;
  }
  return (name === "get" || name === "recur.get") && argv[0] === "";
}

function run(command: Command, now: string, argv: string[]): Reply {
  checkJson(command, argv, 0);
  for (let i = command.takes.length; i + 1 < argv.length; i += 2) {
    if (argv[i] === "tags" || argv[i] === "depends") argv[i + 1] = textList(argv[i + 1]!);
  }
  table.insert(argv, 1, now);
  return perform(store, command, NAMESPACE, argv, clock);
}

/** The Ruby client takes for the message what follows `user_script:<line>:`. */
function worded(sentence: string): unknown {
  return redis.error_reply("ERR user_script:1: " + sentence);
}

/** The command as the original behaved where that differs. */
function adapted(name: string, command: Command, argv: string[]): Command {
  const { run: plain } = command;
  // Clients put a job in the name of the worker that runs it, which is empty if none does.
  if ((name === "put" || name === "requeue") && argv[0] === "") {
    return withTakes(command, withText(command.takes));
  }
  if (name === "pop") {
    return withRun(command, (given, now, args, options) =>
      jobsJson(given, now, jidsOf(given, plain(given, now, args, options) as string[])),
    );
  }
  if (name === "cancel") {
    return withRun(command, (given, now, args, options) =>
      plain(given, now, [incomplete(given, args[0] ?? [])] as never[], options),
    );
  }
  if (name !== "peek" && name !== "jobs" && name !== "queues") return command;
  return withRun(command, (given, now, args, options) => {
    readFirst(given, now, name, args);
    return plain(given, now, args, options);
  });
}

type Run = Command["run"];

/** As these, with any text as the worker, which comes first. */
function withText(takes: readonly Param[]): Param[] {
  const changed: Param[] = [["worker", "text"]];
  for (let i = 1; i < takes.length; i++) changed.push(takes[i]!);
  return changed;
}

function withRun(command: Command, run: Run): Command {
  return changed(command, command.takes, run);
}

function withTakes(command: Command, takes: readonly Param[]): Command {
  return changed(command, takes, command.run);
}

function changed(command: Command, takes: readonly Param[], run: Run): Command {
  return {
    says: command.says,
    takes,
    options: command.options,
    gives: command.gives,
    writes: command.writes,
    frees: command.frees,
    judgesLayout: command.judgesLayout,
    run,
  };
}

function jidsOf(given: Store, jobs: string[]): string[] {
  const jids: string[] = [];
  for (const job of jobs) jids.push(given.text.divide(job, "\t")[0]!);
  return jids;
}

/** Completed jobs used to be passed over when others were canceled. */
function incomplete(given: Store, jids: string[]): string[] {
  const live: string[] = [];
  for (const jid of jids) {
    if (stateIn(given, given.field(jobKey(jid), "state")) !== "complete") live.push(jid);
  }
  return live;
}
