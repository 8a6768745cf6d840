import fc from "fast-check";
import type { CommandName } from "../../src/engine.ts";
import * as bulk from "./bulk-drafts.ts";
import * as cron from "./cron-drafts.ts";
import * as job from "./job-drafts.ts";
import { MALFORMED } from "./malformed.ts";
import * as other from "./other-drafts.ts";
import type { Draft, Step } from "./step.ts";

/** What calls of each command look like, and how often they are made. */
export const DRAFTS: Record<CommandName, readonly [weight: number, draft: fc.Arbitrary<Draft>]> = {
  cancel: [4, other.cancel],
  "cancel.many": [3, bulk.cancelMany],
  check: [1, other.check],
  complete: [12, job.complete],
  "config.get": [1, other.configGet],
  "config.set": [4, other.configSet],
  "config.unset": [4, other.configUnset],
  "cron.drop": [1, cron.cronDrop],
  "cron.due": [2, cron.cronDue],
  "cron.fire": [7, cron.cronFire],
  "cron.get": [2, cron.cronGet],
  "cron.list": [1, cron.cronList],
  "cron.pause": [1, cron.cronPause],
  "cron.put": [5, cron.cronPut],
  "cron.unpause": [2, cron.cronUnpause],
  depends: [5, other.depends],
  dump: [1, other.dump],
  explain: [4, other.explain],
  fail: [7, job.fail],
  failed: [1, other.failed],
  failures: [2, other.failures],
  finish: [7, job.finish],
  get: [4, other.get],
  heartbeat: [4, job.heartbeat],
  checkin: [3, job.checkin],
  "heartbeat.many": [3, job.heartbeatMany],
  jobs: [3, other.listing],
  layout: [1, other.layout],
  length: [1, other.length],
  log: [4, other.log],
  move: [5, bulk.move],
  multiget: [2, other.multiget],
  note: [1, other.note],
  pause: [2, other.pause],
  peek: [4, other.peek],
  pop: [24, job.pop],
  priority: [4, other.priorityOf],
  "priority.many": [3, bulk.priorityMany],
  put: [18, job.put],
  "put.many": [6, job.putMany],
  "queue.forget": [1, other.forget],
  "queue.pause": [2, other.queuePause],
  queues: [3, other.queues],
  recur: [3, other.recur],
  "recur.get": [1, other.recurGet],
  "recur.pause": [2, other.recurPause],
  "recur.tag": [1, other.recurTag],
  "recur.unpause": [2, other.recurUnpause],
  "recur.untag": [1, other.recurUntag],
  "recur.update": [2, other.recurUpdate],
  requeue: [4, job.requeue],
  restore: [1, other.restore],
  retry: [6, job.retry],
  search: [6, bulk.search],
  stats: [2, other.stats],
  tag: [6, other.tagged],
  "tag.many": [3, bulk.tagMany],
  tick: [5, other.tick],
  timeout: [7, job.timeout],
  track: [5, other.track],
  unfail: [3, other.unfail],
  "unique.free": [1, other.uniqueFree],
  "unique.get": [2, other.uniqueGet],
  unpause: [3, other.unpause],
  unrecur: [1, other.unrecur],
  wait: [6, other.wait],
  "worker.deregister": [1, other.deregister],
  "worker.present": [2, other.present],
  workers: [2, other.workers],
};

const wellFormed = fc.oneof(
  ...Object.values(DRAFTS).map(([weight, arbitrary]) => ({ weight, arbitrary })),
);

const malformed: fc.Arbitrary<Draft> = fc.oneof(
  ...Object.entries(MALFORMED).map(([command, calls]) =>
    fc
      .constantFrom(...calls)
      .map(
        (words): Draft => ({ command: command as CommandName, jids: [], on: [], words, bad: true }),
      ),
  ),
);

const later = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 10 }).map((seconds) => seconds * 1000) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000 }) },
);

/** What a step does, without the time that goes by before it. */
type Deed = Omit<Step, "later">;

const request = fc.oneof(
  { weight: 12, arbitrary: fc.constant("none" as const) },
  { weight: 2, arbitrary: fc.constant("new" as const) },
  { weight: 1, arbitrary: fc.constant("again" as const) },
);

const deed: fc.Arbitrary<Deed> = fc.record({
  request,
  draft: fc.oneof({ weight: 24, arbitrary: wellFormed }, { weight: 1, arbitrary: malformed }),
});

/** Histories begin with some jobs, or most of what follows would find none. */
const opening: fc.Arbitrary<Deed> = fc.record({
  request,
  draft: fc.oneof(
    { weight: 8, arbitrary: job.put },
    { weight: 8, arbitrary: job.putMany },
    { weight: 6, arbitrary: job.pop },
    { weight: 2, arbitrary: other.configSet },
    { weight: 1, arbitrary: other.recur },
    { weight: 3, arbitrary: cron.cronPut },
  ),
});
const OPENING = 8;

const deedAt = (step: number) => (step < OPENING ? opening : deed);

/** A step, and what it takes to make it simpler. */
interface Grown {
  later: number;
  deed: fc.Value<Deed>;
  by: fc.Arbitrary<Deed>;
}

/**
 * Histories of a fixed length. They shrink by leaving steps out, many at once as long as that
 * helps, while the time they took still goes by; then the steps that are left become simpler.
 */
class Histories extends fc.Arbitrary<Step[]> {
  readonly #length: number;

  constructor(length: number) {
    super();
    this.#length = length;
  }

  generate(mrng: fc.Random, biasFactor: number | undefined): fc.Value<Step[]> {
    const grow = (step: number): Grown => ({
      later: later.generate(mrng, biasFactor).value,
      deed: deedAt(step).generate(mrng, biasFactor),
      by: deedAt(step),
    });
    return together([...Array(this.#length).keys()].map(grow));
  }

  canShrinkWithoutContext(_value: unknown): _value is Step[] {
    return false;
  }

  shrink(_value: Step[], context: unknown): fc.Stream<fc.Value<Step[]>> {
    return fc.stream(simpler(context as Grown[])).map(together);
  }
}

const together = (grown: Grown[]): fc.Value<Step[]> =>
  new fc.Value(
    grown.map(({ later, deed }) => ({ later, ...deed.value })),
    grown,
  );

function* simpler(steps: Grown[]): Generator<Grown[]> {
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let end = steps.length; end > 0; end -= size) {
      yield without(steps, Math.max(end - size, 0), end);
    }
  }
  for (const [i, step] of steps.entries()) {
    for (const later of sooner(step.later)) yield steps.with(i, { ...step, later });
    const { value, context } = step.deed;
    for (const deed of step.by.shrink(value, context)) yield steps.with(i, { ...step, deed });
  }
}

/** The steps without some of them, the next of which comes as late as before. */
function without(steps: Grown[], from: number, to: number): Grown[] {
  const passed = steps.slice(from, to).reduce((total, { later }) => total + later, 0);
  const [next, ...rest] = steps.slice(to);
  const delayed = next === undefined ? [] : [{ ...next, later: next.later + passed }];
  return [...steps.slice(0, from), ...delayed, ...rest];
}

/** Simpler times: none, whole seconds, half. */
function sooner(ms: number): number[] {
  const candidates = [0, Math.floor(ms / 60_000) * 60_000, Math.floor(ms / 1000) * 1000];
  return [...new Set(candidates)].filter((less) => less < ms);
}

export const histories = (length: number): fc.Arbitrary<Step[]> => new Histories(length);
