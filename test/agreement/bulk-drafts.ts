import fc from "fast-check";
import { anyJob, group, klass, mostly, priority, queue, source, tag } from "./alphabet.ts";
import { about, jobs, listed, maybe, plain, seldom, words } from "./drafts.ts";

/** Calls that find jobs, and calls that change many of them. */

const some = jobs(anyJob, anyJob, anyJob);
const several = [
  words({ jid: 0 }),
  seldom(words({ jid: 1 }), 1),
  seldom(words({ jid: 2 }), 1),
  seldom(words({ jid: 0 }), 6),
];

/** Jobs that wait for each other meet in one call now and then. */
const chained = jobs(mostly("depends"), anyJob, anyJob);

export const move = about("move", some, words(maybe(queue)), ...several);
export const cancelMany = about("cancel.many", fc.oneof(some, chained), ...several);
export const priorityMany = about("priority.many", some, words(priority), ...several);
export const tagMany = about(
  "tag.many",
  some,
  words(fc.constantFrom("add", "remove"), listed(tag)),
  ...several,
);

const state = fc.constantFrom(
  "waiting",
  "running",
  "stalled",
  "scheduled",
  "depends",
  "failed",
  "complete",
);

/** Moments that histories go through. */
const moment = fc.constantFrom("0", "1700006100", "1700006110", "1700006150.5", "1700006300");

export const search = plain(
  "search",
  words(fc.constantFrom("0", ""), fc.constantFrom("1", "3", "100", "100")),
  seldom(words("state", state), 1),
  seldom(words("queue", queue), 2),
  seldom(words("klass", fc.oneof(klass, fc.constantFrom("k*", "*", "é*"))), 4),
  seldom(words("tag", tag), 4),
  seldom(words("source", source), 8),
  seldom(words("group", group), 8),
  seldom(words("jid", fc.constantFrom("a", "é", "r-", "\uffee")), 8),
  seldom(words("from", moment), 6),
  seldom(words("to", moment), 6),
  seldom(words("order", fc.constantFrom("newest", "oldest"))),
);
