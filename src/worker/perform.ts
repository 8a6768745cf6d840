import { noteFailure } from "../client/observing.ts";
import { checkedData, type Registry } from "../client/registry.ts";
import { Invalid } from "../engine.ts";
import { groupOf, isError, messageOf, UNREADABLE } from "./blame.ts";
import { Crashed, Decided } from "./children/ends.ts";
import type { JobContext } from "./context.ts";
import { type Entry, isDecided, type Middleware, restOf } from "./handlers.ts";
import { COMPLETE, completed, failed, type Outcome, retried } from "./outcome.ts";
import type { Run } from "./run.ts";

/** Runs a job through its middleware and handler, and says what becomes of it. It never throws. */
export async function perform(
  run: Run,
  entry: Entry,
  context: JobContext,
  { jobs, around }: { jobs: Registry | undefined; around: readonly Middleware[] },
): Promise<Outcome> {
  try {
    if (jobs === undefined) readData(run);
    else await checkData(run, jobs);
    const value = await inside(run, entry, context, around);
    if (context.checkins !== undefined) await context.checkins.end();
    if (run.outcome !== undefined) return run.outcome;
    return value === undefined ? COMPLETE : completed({ data: value });
  } catch (error) {
    run.thrown = { error };
    if (context.checkins !== undefined) await context.checkins.end();
    try {
      noteFailure(error);
      return await blamed(run, entry, error, context);
    } catch {
      // A value such as a proxy can be made to throw whenever it is looked at.
      return retried({ group: `${run.klass}:Error`, message: UNREADABLE, backoff: entry.backoff });
    }
  }
}

/** Data that is no JSON, or not as its schema has it, will never be: it is not tried again. */
async function checkData(run: Run, jobs: Registry): Promise<void> {
  const { job } = run;
  try {
    job.setData(await checkedData(jobs, run.klass, job.data));
  } catch (error) {
    if (error instanceof Invalid && error.code !== "UNKNOWN_KLASS") throw error;
    throw unreadable(run, error);
  }
}

/** As `checkData`, where there are no schemas. */
function readData(run: Run): void {
  try {
    void run.job.data;
  } catch (error) {
    throw unreadable(run, error);
  }
}

function unreadable({ klass }: Run, error: unknown): Invalid {
  const why = error instanceof Error ? error.message : String(error);
  return new Invalid("INVALID_DATA", `Data of ${klass} cannot be read: ${why}`);
}

/** Calls the middleware from the outside in, and then the handler. */
function inside(
  run: Run,
  { call: last, options }: Entry,
  context: JobContext,
  around: readonly Middleware[],
): unknown {
  const chain = options.use === undefined ? around : [...around, ...options.use];
  if (chain.length === 0) return last(run, context);
  let value: unknown;
  const call = async (depth: number): Promise<unknown> => {
    const layer = chain[depth];
    if (layer === undefined) {
      value = await last(run, context);
      return value;
    }
    let called = false;
    return layer(context, (more) => {
      if (called) throw new Error("A middleware called next twice");
      called = true;
      if (more !== undefined) Object.assign(context, more);
      return call(depth + 1);
    });
  };
  return call(0).then(() => value);
}

function blamed(
  run: Run,
  entry: Entry,
  thrown: unknown,
  context: JobContext,
): Outcome | Promise<Outcome> {
  const { job, klass } = run;
  const error = isError(thrown) ? thrown : undefined;
  if (error instanceof Decided) return error.outcome;
  if (run.aborted?.code === "STOPPING") return retried({ delay: 0, spend: false });
  const group = error instanceof Crashed ? "crashed" : groupOf(klass, thrown);
  const message = messageOf(thrown);
  const spent = job.retries - job.remaining;
  const isFinal = error instanceof Invalid && error.code === "INVALID_DATA";
  if (isFinal || spent >= (entry.options.retries ?? Number.POSITIVE_INFINITY)) {
    return failed(group, message);
  }
  const again: Again = { group, message, backoff: entry.backoff };
  return isDecided(entry) ? rested(run, entry, thrown, again, context) : retried(again);
}

interface Again {
  group: string;
  message: string;
  backoff: string;
}

/** Retries a job after the rest that its klass's own function decides on, if its answer is of use. */
async function rested(
  { job, klass }: Run,
  entry: Entry,
  thrown: unknown,
  { backoff, ...why }: Again,
  context: JobContext,
): Promise<Outcome> {
  const { ms, fault } = await restOf(entry, thrown, job);
  if (ms !== undefined) return retried({ ...why, delay: ms });
  if (fault === undefined) return retried({ ...why, backoff });
  const sentence = `The backoff function of ${klass} ${fault}; the default backoff is used`;
  context.log.error({}, sentence);
  return retried({ group: why.group, message: `${why.message}\n${sentence}`, backoff });
}
