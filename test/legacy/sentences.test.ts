import { beforeEach, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();

/**
 * What people find in their logs and search for: the sentences of qless-core, but for those that
 * were a decoder's, misspelt, or the address of a table.
 */
const SENTENCES: [command: string, args: (string | number)[], sentence: string | RegExp][] = [
  ["pop", ["q"], 'Pop(): Arg "worker" missing'],
  ["heartbeat", ["missing", "w"], "Heartbeat(): Job missing does not exist"],
  ["heartbeat", ["a", "w"], /^Heartbeat\(\): Job a .*not currently running: waiting$/],
  ["heartbeat", ["r", "x"], "Heartbeat(): Job r given out to another worker: w"],
  ["complete", ["missing", "w", "p", "{}"], "Complete(): Job missing does not exist"],
  ["complete", ["a", "w", "q", "{}"], "Complete(): Job a is not currently running: waiting"],
  ["complete", ["r", "x", "p", "{}"], "Complete(): Job r has been handed out to another worker: w"],
  ["complete", ["r", "w", "q", "{}"], "Complete(): Job r running in another queue: p"],
  [
    "complete",
    ["r", "w", "p", "{}", "delay", 5],
    'Complete(): "delay" cannot be used without a "next".',
  ],
  [
    "complete",
    ["r", "w", "p", "{}", "depends", '["a"]'],
    'Complete(): "depends" cannot be used without a "next".',
  ],
  ["fail", ["missing", "w", "group", "message"], "Fail(): Job missing does not exist"],
  ["fail", ["a", "w", "group", "message"], /^Fail\(\): Job a .*not currently running: waiting$/],
  ["fail", ["r", "x", "group", "message"], "Fail(): Job r running with another worker: w"],
  ["fail", ["r"], 'Fail(): Arg "worker" missing'],
  ["fail", ["r", "w"], 'Fail(): Arg "group" missing'],
  ["fail", ["r", "w", "group"], 'Fail(): Arg "message" missing'],
  ["retry", ["missing", "p", "w"], "Retry(): Job missing does not exist"],
  ["retry", ["a", "q", "w"], "Retry(): Job a is not currently running: waiting"],
  ["retry", ["r", "p", "x"], "Retry(): Job r has been given to another worker: w"],
  ["retry", ["r"], 'Retry(): Arg "queue" missing'],
  ["retry", ["r", "p"], 'Retry(): Arg "worker" missing'],
  ["retry", ["r", "p", "w", "foo"], 'Retry(): Arg "delay" not a number: foo'],
  ["timeout", ["missing"], "Timeout(): Job missing does not exist"],
  ["requeue", ["w", "q", "missing", "k", "{}", 0], "Requeue(): Job missing does not exist"],
  ["put", ["w", "q"], 'Put(): Arg "jid" missing'],
  ["put", ["w", "q", "b"], 'Put(): Arg "klass" missing'],
  ["put", ["w", "q", "b", "k", "{}", "foo"], 'Put(): Arg "delay" not a number: foo'],
  [
    "put",
    ["w", "q", "b", "k", "{}", 0, "retries", "foo"],
    'Put(): Arg "retries" not a number: foo',
  ],
  ["priority", ["missing", 1], "Priority(): Job missing does not exist"],
  ["depends", ["a"], 'Depends(): Arg "command" missing'],
  ["depends", ["a", "on", "b"], "Depends(): Job a not in the depends state: waiting"],
  ["depends", ["d", "foo"], 'Depends(): Argument "command" must be "on" or "off"'],
  ["cancel", ["a"], "Cancel(): a is a dependency of d but is not mentioned to be canceled"],
  ["tag", ["add"], 'Tag(): Arg "jid" missing'],
  ["tag", ["add", "missing", "x"], "Tag(): Job missing does not exist"],
  ["tag", ["get"], 'Tag(): Arg "tag" missing'],
  ["track", ["track"], 'Track(): Arg "jid" missing'],
  ["log", ["missing", "message"], "Log(): Job missing does not exist"],
  ["jobs", [], 'Jobs(): Arg "state" missing'],
  ["jobs", ["running"], 'Jobs(): Arg "queue" missing'],
  ["jobs", ["running", "q", "foo"], 'Jobs(): Arg "offset" not a number: foo'],
  ["jobs", ["running", "q", 0, "foo"], 'Jobs(): Arg "count" not a number: foo'],
  ["unfail", ["q"], 'Unfail(): Arg "group" missing'],
  ["unfail", ["q", "group", "foo"], 'Unfail(): Arg "count" not a number: foo'],
  ["config.set", [], 'config.set(): Arg "option" missing'],
  ["config.set", ["option"], 'config.set(): Arg "value" missing'],
  ["config.unset", [], 'config.unset(): Arg "option" missing'],
  [
    "recur",
    ["q", "r", "k", "{}", "interval", "foo", 0],
    'Recur(): Arg "interval" not a number: foo',
  ],
  [
    "recur",
    ["q", "r", "k", "{}", "interval", 60, "foo"],
    'Recur(): Arg "offset" not a number: foo',
  ],
  [
    "recur",
    ["q", "r", "k", "{}", "interval", 0, 0],
    'Recur(): Arg "interval" must be greater than 0',
  ],
];

beforeEach(async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "d", "depends", '["a"]');
  await legacy.put(0, "p", "r");
  await legacy.pop(0, "p", "w");
});

test.each(SENTENCES)("%s %j is refused with %s", async (command, args, sentence) => {
  await legacy.refusedWhole(() => legacy.call(command, 1, ...args), sentence);
});

test("every sentence survives the Ruby client's pattern whole", async () => {
  const sentence = "Heartbeat(): Job missing does not exist";
  const error = await legacy.call("heartbeat", 1, "missing", "w").catch((e: Error) => e.message);
  expect(/user_script:\d+:\s*(\w+.+$)/.exec(String(error))?.[1]).toBe(sentence);
});
