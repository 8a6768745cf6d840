import fc from "fast-check";
import { backoff, data, delay, klass, priority, queue, retries, source, tag } from "./alphabet.ts";
import { listed, maybe, often, plain, seldom, words } from "./drafts.ts";
import type { Word } from "./step.ts";

/** Calls about schedules. One of them is called as a job and a recurring job may be. */

const cron = fc.constantFrom("s", "s", "s", "t", "𝒜");

/** In the time of a history, from its beginning on. */
const tick = fc.constantFrom("1700006100", "1700006130", "1700006160", "1700006250.5");

/** The next tick of a schedule mostly, and one after it; half a second later has the same child. */
const firing = fc
  .tuple(cron, fc.constantFrom(0, 0, 0, 30), fc.constantFrom(30, 60, 60, 0.5))
  .map(([jid, from, by]): Word[] => [
    jid,
    { tick: jid, later: from },
    { tick: jid, later: from + by },
  ]);

export const cronPut = plain(
  "cron.put",
  words(cron, queue, klass, data, "* * * * *", "UTC", tick),
  seldom(words("priority", priority), 4),
  seldom(words("tags", listed(tag)), 4),
  seldom(words("retries", retries), 4),
  seldom(words("source", source), 6),
  seldom(words("backoff", backoff), 6),
  seldom(words("overlap", fc.constantFrom("allow", "skip")), 1),
  seldom(words("missed", fc.constantFrom("skip", "one", "all")), 6),
  seldom(words("backlog", fc.constantFrom("1", "100")), 6),
  seldom(words("jitter", fc.constantFrom("0", "2.5")), 6),
);

export const cronFire = plain(
  "cron.fire",
  firing,
  seldom(words("delay", delay)),
  seldom(words("put", fc.constantFrom("0", "1")), 4),
);

export const cronUnpause = plain("cron.unpause", words(cron), often(words("next", tick), 1));
export const cronPause = plain("cron.pause", words(cron));
export const cronDrop = plain("cron.drop", words(cron));
export const cronGet = plain("cron.get", words(cron));
export const cronDue = plain("cron.due", seldom(words(fc.constantFrom("0", "1", "")), 1));
export const cronList = plain(
  "cron.list",
  seldom(words(maybe(fc.constantFrom("0", "1")), maybe(fc.constantFrom("0", "1"))), 1),
);
