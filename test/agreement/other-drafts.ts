import fc from "fast-check";
import {
  anyJob,
  count,
  data,
  delay,
  group,
  harshSetting,
  key,
  klass,
  message,
  mostly,
  priority,
  queue,
  recurring,
  retries,
  setting,
  tag,
  worker,
} from "./alphabet.ts";
import { about, jobs, listed, maybe, often, plain, seldom, waitingFor, words } from "./drafts.ts";
import type { Pick, Word } from "./step.ts";

/** Calls that change or read jobs, and calls about queues, workers, settings and recurring jobs. */

const alone = jobs(anyJob);
const only = words({ jid: 0 });
const several = [only, seldom(words({ jid: 1 }), 1), seldom(words({ jid: 2 }), 1)];
const some = jobs(anyJob, anyJob, anyJob);

export const get = about("get", alone, only);
export const explain = about("explain", alone, only);
export const multiget = about("multiget", some, ...several);
export const cancel = about("cancel", some, ...several);
export const priorityOf = about("priority", alone, only, words(priority));

export const log = about(
  "log",
  alone,
  only,
  words(message, maybe(fc.constantFrom("{}", '{"a":[1,{}],"what":"é"}'))),
);

const onAnother: fc.Arbitrary<Pick[]> = jobs(anyJob, anyJob);

export const depends = waitingFor(
  "depends",
  jobs(mostly("depends")),
  onAnother,
  only,
  fc.oneof(
    words("on", { on: 0 }),
    words("on", { on: 0 }, { on: 1 }),
    words("off", { on: 0 }),
    words("off", "all"),
    words("off"),
  ),
);

const paged = seldom(words(fc.constantFrom("0", "1"), fc.constantFrom("1", "25", "")));

export const tagged = fc.oneof(
  { weight: 2, arbitrary: about("tag", alone, words("add", { jid: 0 }, tag), seldom(words(tag))) },
  { weight: 2, arbitrary: about("tag", alone, words("remove", { jid: 0 }, tag)) },
  { weight: 1, arbitrary: plain("tag", words("get", tag)) },
  { weight: 1, arbitrary: plain("tag", words("top")) },
);

export const track = fc.oneof(
  { weight: 3, arbitrary: about("track", alone, words("track", { jid: 0 })) },
  { weight: 3, arbitrary: about("track", alone, words("UNtrack", { jid: 0 })) },
  { weight: 1, arbitrary: plain("track", words()) },
  {
    weight: 1,
    arbitrary: plain("track", words("", "", "offset", fc.constantFrom("0", "1"), "count", "1")),
  },
);

export const failed = plain("failed", words(maybe(group)), paged);
export const failures = plain("failures", paged);
export const note = plain(
  "note",
  words(worker, fc.constantFrom("pause", "bulk cancel é")),
  seldom(words("to", queue), 1),
  seldom(words("queue", queue)),
  seldom(words("count", fc.constantFrom("0", "12")), 1),
  seldom(words("facts", fc.constantFrom("{}", '{"a":[1,{}],"by":"é"}')), 1),
);
export const unfail = plain("unfail", words(queue, group), seldom(words(count)));
export const peek = plain("peek", words(queue, count));
export const length = plain("length", words(queue));
export const queues = plain("queues", seldom(words(queue), 1));
export const present = plain(
  "worker.present",
  words(worker, fc.constantFrom("0", "30", "300"), fc.constantFrom("{}", '{"pid":1,"é":"\\""}')),
  seldom(words("queues", listed(queue, 2)), 1),
  seldom(words("klasses", listed(klass, 2)), 1),
);
export const wait = plain(
  "wait",
  words(worker, fc.constantFrom("0", "20", "300"), queue),
  seldom(words(queue)),
);
export const pause = plain("pause", words(queue), seldom(words(queue)));
export const unpause = plain("unpause", words(queue), seldom(words(queue)));
/** Ends that come while histories are played, and one that never does. */
const pauseEnd = fc.constantFrom("1700006110", "1700006150", "1700006250.5", "1700009000");
export const queuePause = plain(
  "queue.pause",
  words(queue),
  seldom(words("reason", message), 1),
  often(words("until", pauseEnd), 3),
);
export const forget = plain("queue.forget", words(queue));
export const workers = plain("workers", seldom(words(worker), 1));
export const deregister = plain("worker.deregister", words(worker));

const listedStates = ["running", "stalled", "scheduled", "depends", "recurring", "waiting"];

export const listing = fc.oneof(
  { weight: 1, arbitrary: plain("jobs", words("complete"), paged) },
  {
    weight: 3,
    arbitrary: plain("jobs", words(fc.constantFrom(...listedStates), queue), paged),
  },
);

/** Times of the two days that histories are played on. */
export const stats = plain("stats", words(queue, fc.constantFrom("1700006000", "1700006500")));

export const configSet = fc.oneof(
  { weight: 9, arbitrary: plain("config.set", setting) },
  { weight: 1, arbitrary: plain("config.set", harshSetting) },
);
const settingName = fc.oneof(setting, harshSetting).map(([name]): Word[] => [name]);
export const configUnset = plain("config.unset", settingName);
export const configGet = plain("config.get", seldom(settingName, 1));

/** So long that the children that are due at once stay fewer than a call may spawn. */
const interval = fc.constantFrom("100", "150.5", "400");
const backlog = fc.constantFrom("0", "1", "2");

export const recur = plain(
  "recur",
  words(queue, recurring, klass, data, "interval", interval, delay),
  seldom(words("priority", priority)),
  seldom(words("tags", listed(tag))),
  seldom(words("retries", retries)),
  seldom(words("backlog", backlog)),
);

export const recurUpdate = plain(
  "recur.update",
  words(recurring),
  seldom(words("interval", interval), 2),
  seldom(words("queue", queue), 2),
  seldom(words("priority", priority)),
  seldom(words("retries", retries)),
  seldom(words("backlog", backlog)),
  seldom(words("data", data)),
  seldom(words("klass", klass)),
);

export const recurGet = plain("recur.get", words(recurring));
export const unrecur = plain("unrecur", words(recurring));
export const recurPause = plain("recur.pause", words(recurring));
export const recurUnpause = plain("recur.unpause", words(recurring));
export const recurTag = plain("recur.tag", words(recurring, tag), seldom(words(tag)));
export const recurUntag = plain("recur.untag", words(recurring, tag));

export const uniqueGet = plain("unique.get", words(key));
export const uniqueFree = plain("unique.free", words(key));

export const tick = plain("tick");
export const layout = plain("layout");
export const check = plain("check", words("0"), seldom(words("1")));
export const dump = plain("dump", words("0"));
/** Nothing at all: of anything else the model would know nothing. */
export const restore = plain(
  "restore",
  words(fc.constantFrom("tags", "q:q1-work"), "ranking", "0"),
);
