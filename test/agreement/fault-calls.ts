import type { CommandName } from "../../src/engine.ts";
import type { Subject } from "./scenario.ts";

type Calls = Partial<Record<CommandName, string[][]>>;

/** Calls of every command that names a job, about this one. Most states refuse some of them. */
export function callsAbout({ jid, queue, worker, lease }: Subject): Calls {
  const ends = ["lease", lease];
  const complete = [jid, worker, queue, "[1]", ...ends];
  const retry = [jid, queue, worker];
  const put = ["w", "q3", jid, "k", "{}", "0"];
  const finish = [worker, "3", '["q1","q2"]'];
  return {
    cancel: [[jid], ["failed", jid], [jid, "depends", "free", "none"]],
    "cancel.many": [
      [jid, "none"],
      [jid, "depends", "free", "complete"],
    ],
    complete: [
      complete,
      [...complete, "next", "q3"],
      [...complete, "next", "q3", "delay", "10"],
      [...complete, "next", "q3", "delay", "10", "depends", '["waiting","none"]'],
      [...complete, "next", "q3", "depends", '["depends"]'],
      [jid, worker, queue, "{}", "lease", "999"],
      [jid, "other", queue, "{}"],
      [jid, worker, "other", "{}"],
    ],
    depends: [
      [jid, "on", "waiting", "complete", "none"],
      [jid, "on", "waiting", jid],
      [jid, "off", "due"],
      [jid, "off", "all"],
    ],
    explain: [[jid]],
    fail: [
      [jid, worker, "g", "it broke", "[1]", ...ends],
      [jid, "other", "g", "it broke"],
    ],
    finish: [
      [...finish, "complete", jid, lease, "2", "data", "[1]", "fail", "waiting", "1", "4"].concat(
        "group",
        "g",
        "message",
        "m",
      ),
      [...finish, "complete", jid, lease, "4", "next", "q1", "depends", '["waiting"]'],
      [...finish, "fail", jid, lease, "4", "group", "h", "message", "m"],
      [...finish, "retry", jid, lease, "0"],
    ],
    get: [[jid]],
    checkin: [
      [jid, worker, "half", "progress", "0.5", ...ends],
      [jid, "other", "half"],
    ],
    heartbeat: [
      [jid, worker, "[1]", ...ends],
      [jid, "other"],
    ],
    "heartbeat.many": [[worker, jid, lease, "[1]", "waiting", "", "", "running", "", ""]],
    log: [
      [jid, "looked at"],
      [jid, "looked at", '{"by":"me"}'],
    ],
    move: [
      ["q3", jid, "none", "waiting"],
      ["", jid, "scheduled"],
    ],
    multiget: [[jid, "none", "running"]],
    priority: [[jid, "-3"]],
    "priority.many": [["-3", jid, "none", "waiting"]],
    put: [
      put,
      [...put.slice(0, 5), "60", "tags", '["y","z"]', "source", "t", "retries", "1"],
      [...put, "depends", '["waiting"]', "priority", "2", "cutoff", "10", "backoff", "fixed 1"],
      [...put, "depends", '["depends"]'],
      [...put, "depends", JSON.stringify([jid])],
      ["other", ...put.slice(1)],
      [...put, "unique", "new", "until", "start", "context", "{}", "at", "1700005000"],
      [...put, "unique", "waiting", "conflict", "replace", "depends", '["due"]'],
      [...put, "unique", "waiting", "conflict", "replace", "depends", '["waiting"]'],
      [...put, "unique", "waiting", "conflict", "data"],
      [...put, "unique", "waiting", "conflict", "time", "at", "1700005000"],
      [...put, "unique", "scheduled", "conflict", "time"],
      [...put, "unique", "old", "for", "60"],
      [...put, "unique", "failed"],
      [...put, "exists", "keep", "depends", '["waiting"]'],
      [...put, "exists", "refuse"],
      [...put, "exists", "replace", "unique", "waiting", "conflict", "data"],
      [...put, "exists", "replace", "protect", "1"],
    ],
    "put.many": [
      ["w", ...put.slice(1), "0", "q1", "new", "k", "{}", "0", "2", "depends", `["${jid}"]`],
      ["w", ...put.slice(1), "2", "depends", '["new"]', "q1", "new", "k", "{}", "9", "0"],
      ["w", "q1", "new", "k", "{}", "0", "0", ...put.slice(1), "2", "depends", `["${jid}"]`],
      ["w", "q1", "new", "k", "{}", "0", "2", "unique", "waiting"].concat(
        ...put.slice(1),
        ["4", "unique", "old", "depends", '["new"]'],
        ["q1", "newer", "k", "[]", "0", "4", "unique", "old", "conflict", "replace"],
      ),
      ["w", "q1", "new", "k", "{}", "0", "2", "exists", "keep", "\t", "new", "[]", "\t", jid, "[]"],
      ["w", ...put.slice(1), "4", "exists", "replace", "unique", "waiting"],
    ],
    requeue: [put, [...put, "unique", "waiting"], [...put, "depends", '["waiting","due"]']],
    retry: [
      [...retry, "", "", "", ...ends],
      [...retry, "10", "g", "it broke", ...ends],
      [...retry, "0", "", "", "spend", "0"],
      [jid, "other", worker],
      [jid, queue, worker, "", "", "", "lease", "999"],
    ],
    tag: [
      ["add", jid, "x", "z"],
      ["remove", jid, "x", "z"],
    ],
    "tag.many": [
      ["add", '["x","z"]', jid, "none", "waiting"],
      ["remove", '["x","z"]', jid],
    ],
    timeout: [[jid], ["running", jid]],
    track: [
      ["track", jid],
      ["untrack", jid],
    ],
  };
}

/** Calls of every command that names none. */
export const OTHER_CALLS: Calls = {
  check: [["0"], ["0", "1"]],
  dump: [["0"]],
  "config.get": [[], ["q1-heartbeat"], ["heartbeat"]],
  "config.set": [
    ["q1-retries", "1"],
    ["heartbeat-q1", "5"],
  ],
  "config.unset": [["q1-heartbeat"], ["nothing"]],
  "cron.drop": [["s"], ["none"]],
  "cron.due": [[], ["1"]],
  "cron.fire": [
    ["s", "1700000100", "1700000700"],
    ["s", "1700000100", "1700000700", "delay", "5"],
    ["s", "1700000100", "1700000700", "put", "0"],
    ["alone", "1700000160", "1700000700"],
    ["s", "1700000101", "1700000700"],
    ["none", "1700000100", "1700000700"],
  ],
  "cron.get": [["s"], ["none"]],
  "cron.list": [[], ["0", "1"]],
  "cron.pause": [["s"], ["asleep"], ["none"]],
  "cron.put": [
    ["new", "q1", "k", "{}", "* * * * *", "UTC", "1700000900", "retries", "1"],
    ["s", "q3", "k", "{}", "* * * * *", "UTC", "1700000900"],
    ["asleep", "q1", "k", "{}", "@daily", "UTC", "1700000900"],
    ["asleep", "q1", "k", "{}", "* * * * *", "UTC", "1700000900"],
    ["waiting", "q1", "k", "{}", "* * * * *", "UTC", "1700000900"],
    ["r", "q1", "k", "{}", "* * * * *", "UTC", "1700000900"],
  ],
  "cron.unpause": [["asleep"], ["asleep", "next", "1700000900"], ["s"], ["none"]],
  failed: [[], ["g"]],
  jobs: ["running", "stalled", "scheduled", "depends", "recurring", "waiting"]
    .map((state) => [state, "q1"])
    .concat([["complete"]]),
  layout: [[]],
  length: [["q1"]],
  pause: [["q1", "q2"]],
  peek: [
    ["q1", "5"],
    ["q2", "5"],
  ],
  pop: [
    ["q1", "w", "3"],
    ["q2", "v", "5", "history", "1"],
    ["q3", "v", "5", "also", '["q2","q1"]'],
  ],
  "queue.forget": [["q1"], ["nothing"]],
  "queue.pause": [["q1"], ["q2", "reason", "why", "until", "1800000000"], ["q1", "until", "5"]],
  queues: [[], ["q2"]],
  recur: [
    ["q1", "r", "k", "{}", "interval", "60", "5", "tags", '["x"]'],
    ["q3", "new", "k", "{}", "interval", "60", "0"],
    ["q3", "resting", "k", "{}", "interval", "60", "0"],
    ["q3", "s", "k", "{}", "interval", "60", "0"],
  ],
  "recur.get": [["r"], ["none"]],
  "recur.pause": [["r"], ["resting"], ["none"]],
  "recur.tag": [
    ["r", "y"],
    ["none", "y"],
  ],
  "recur.unpause": [["resting"], ["r"], ["none"]],
  "recur.untag": [
    ["r", "x"],
    ["none", "x"],
  ],
  "recur.update": [
    ["r", "queue", "q3", "interval", "20", "data", "[]", "klass", "l"],
    ["resting", "queue", "q3", "interval", "20"],
    ["r", "interval", "0"],
    ["none", "priority", "1"],
  ],
  failures: [[], ["0", "100"]],
  note: [["w", "move", "to", "q1", "count", "3", "facts", '{"a":1}']],
  restore: [
    ["tags", "ranking", "2", "x", "1", "config", "record", "2", "heartbeat", "5"],
    ["", "record", "2", "layout", "2"],
  ],
  search: [
    ["0", "5"],
    ["", "100", "order", "oldest", "from", "1"],
    ["0", "5", "tag", "x", "state", "stalled", "klass", "k"],
    ["0", "5", "source", "s", "queue", "q1", "jid", "e", "klass", "k*"],
    ["0", "5", "group", "g"],
    ["0", "5", "state", "waiting", "queue", "q2"],
  ],
  stats: [["q1", "1700000000"]],
  tag: [["get", "x"], ["top"]],
  tick: [[]],
  track: [[]],
  unfail: [
    ["q3", "g"],
    ["q3", "none", "5"],
  ],
  "unique.free": [["waiting"], ["old"], ["none"]],
  "unique.get": [["waiting"], ["old"]],
  unpause: [["q1"]],
  unrecur: [["r"], ["none"]],
  wait: [
    ["w", "60", "nowhere", "q9"],
    ["w", "60", "q1"],
    ["w", "0", "q1", "nowhere"],
  ],
  "worker.present": [
    ["w", "60", "{}", "queues", '["q1"]'],
    ["w", "0", "{}"],
  ],
  "worker.deregister": [["w"]],
  workers: [[], ["w"]],
};
