import fc from "fast-check";
import {
  anyJob,
  backoff,
  context,
  count,
  cutoff,
  data,
  delay,
  group,
  key,
  klass,
  message,
  moment,
  mostly,
  priority,
  queue,
  retries,
  source,
  tag,
  worker,
} from "./alphabet.ts";
import {
  about,
  counted,
  dependingOn,
  heldIn,
  holder,
  jobs,
  leaseWord,
  listed,
  maybe,
  often,
  seldom,
  waitingFor,
  words,
} from "./drafts.ts";
import type { Word } from "./step.ts";

/** Calls that put jobs, work on them, and end their runs. */

const awaited = jobs(anyJob, anyJob);

const unique = fc
  .tuple(
    words("unique", key),
    fc.oneof(
      fc.constant<Word[]>([]),
      words("until", fc.constantFrom("start", "complete", "failed")),
      words("for", fc.constantFrom("20", "100.25")),
    ),
    seldom(words("conflict", fc.constantFrom("keep", "replace", "data", "time")), 1),
  )
  .map((options) => options.flat());

const putOptions = fc
  .tuple(
    seldom(words("priority", priority)),
    seldom(words("tags", listed(tag))),
    seldom(words("retries", retries), 2),
    seldom(words("depends", dependingOn(2))),
    seldom(words("source", source), 6),
    seldom(words("backoff", backoff), 6),
    seldom(words("cutoff", cutoff), 6),
    seldom(unique, 2),
    seldom(words("context", context), 6),
    seldom(words("at", moment), 12),
  )
  .map((options) => options.flat());

/** What a put does to a job that exists. */
const existing = fc
  .tuple(
    seldom(words("exists", fc.constantFrom("keep", "replace", "refuse")), 2),
    seldom(words("protect", fc.constantFrom("0", "1")), 6),
  )
  .map((options) => options.flat());

const putting = [words(worker, queue, { jid: 0 }, klass, data, delay), putOptions];

export const put = waitingFor("put", jobs(anyJob), awaited, ...putting, existing);
export const requeue = waitingFor("requeue", jobs(anyJob), awaited, ...putting);

const putManyOptions = fc.tuple(putOptions, existing).map((options) => options.flat());

/** A batch, of which each job may wait for two others, also of the batch. */
function puttingMany(size: number) {
  const jobWords = [...Array(size).keys()].map((jid) => {
    const own = fc.tuple(words(queue, { jid }, klass, data, delay), counted(putManyOptions));
    const whole = own.map((parts) => parts.flat());
    const same = words(fc.constant("\t"), { jid }, data);
    return jid === 0 ? whole : fc.oneof({ weight: 3, arbitrary: whole }, same);
  });
  const draft = waitingFor(
    "put.many",
    jobs(...jobWords.map(() => fc.oneof(mostly("none"), anyJob))),
    awaited,
    words(worker),
    ...jobWords,
  );
  // What it is to wait for is now and then another job of the batch.
  return fc
    .tuple(fc.boolean(), draft)
    .map(([inner, outer]) => (inner ? { ...outer, on: outer.jids.toReversed() } : outer));
}

export const putMany = fc.oneof(puttingMany(2), puttingMany(3));

/** Most pops ask where there is something to do. */
const where = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Word>({ home: 0 }) },
  { weight: 1, arbitrary: queue },
);

export const pop = waitingFor(
  "pop",
  jobs(),
  jobs(mostly("waiting")),
  words(where, worker, count),
  seldom(words("also", listed(queue, 2)), 4),
  seldom(words("history", fc.constantFrom("0", "1")), 6),
);

const run = mostly("running");
const byHolder = holder(0, worker);

const advancing = fc
  .tuple(
    words("next", queue),
    seldom(words("delay", delay)),
    seldom(words("depends", dependingOn(2))),
  )
  .map((options) => options.flat());

export const complete = waitingFor(
  "complete",
  jobs(run),
  awaited,
  words({ jid: 0 }, byHolder, heldIn(0, queue), data),
  often(words("lease", leaseWord(0)), 1),
  seldom(advancing),
);

export const fail = about(
  "fail",
  jobs(run),
  words({ jid: 0 }, byHolder, group, message, maybe(data)),
  often(words("lease", leaseWord(0)), 1),
);

/** A group without a message is fine; a message without a group is for no one to find. */
const blame = fc.oneof(words("", ""), words(group, ""), words(group, message));

export const retry = about(
  "retry",
  jobs(run),
  words({ jid: 0 }, heldIn(0, queue), byHolder, maybe(delay)),
  blame,
  often(words("lease", leaseWord(0)), 1),
  seldom(words("lot", fc.constantFrom("0", "0.25", "1"))),
  seldom(words("spend", fc.constantFrom("0", "1"))),
  seldom(words("backoff", backoff)),
);

export const heartbeat = about(
  "heartbeat",
  jobs(run),
  words({ jid: 0 }, byHolder, maybe(data)),
  often(words("lease", leaseWord(0)), 1),
);

export const checkin = about(
  "checkin",
  jobs(run),
  words({ jid: 0 }, byHolder, message),
  seldom(words("progress", fc.constantFrom("0", "0.25", "1e-3", "1")), 1),
  often(words("lease", leaseWord(0)), 1),
);

const looseLease = (job: number): fc.Arbitrary<Word> =>
  fc.oneof({ weight: 3, arbitrary: leaseWord(job) }, { weight: 1, arbitrary: fc.constant("") });

export const heartbeatMany = about(
  "heartbeat.many",
  jobs(run, run, run),
  words(byHolder),
  words({ jid: 0 }, looseLease(0), maybe(data)),
  seldom(words({ jid: 1 }, looseLease(1), ""), 1),
  seldom(words({ jid: 2 }, looseLease(2), ""), 1),
);

function outcome(job: number): fc.Arbitrary<Word[]> {
  const ended = (verb: string, options: fc.Arbitrary<Word[]>) =>
    fc.tuple(words(verb, { jid: job }, looseLease(job)), counted(options)).map((all) => all.flat());
  const retried = fc
    .tuple(
      seldom(words("delay", delay)),
      seldom(words("group", group, "message", message)),
      seldom(words("spend", "0")),
      seldom(words("backoff", backoff)),
    )
    .map((options) => options.flat());
  const completed = fc.tuple(seldom(words("data", data)), seldom(advancing));
  return fc.oneof(
    {
      weight: 3,
      arbitrary: ended(
        "complete",
        completed.map((all) => all.flat()),
      ),
    },
    { weight: 1, arbitrary: ended("fail", words("group", group, "message", message)) },
    { weight: 1, arbitrary: ended("retry", retried) },
  );
}

export const finish = waitingFor(
  "finish",
  jobs(run, run, run),
  jobs(run, anyJob),
  words(byHolder, fc.constantFrom("0", "1", "2"), listed(queue, 2)),
  often(outcome(0), 8),
  seldom(outcome(1), 1),
  seldom(outcome(2), 1),
);

export const timeout = about(
  "timeout",
  jobs(run, run),
  words({ jid: 0 }),
  seldom(words({ jid: 1 }), 4),
);
