import fc from "fast-check";
import type { CommandName } from "../../src/engine.ts";
import type { Draft, Pick, Word } from "./step.ts";

/** Helpers to write down what calls of a command look like. */

const NO_JOBS = fc.constant<Pick[]>([]);

/** A call that names no jobs. */
export function plain(command: CommandName, ...words: fc.Arbitrary<Word[]>[]): fc.Arbitrary<Draft> {
  return about(command, NO_JOBS, ...words);
}

/** A call that names these jobs, which its words may refer to. */
export function about(
  command: CommandName,
  jids: fc.Arbitrary<Pick[]>,
  ...words: fc.Arbitrary<Word[]>[]
): fc.Arbitrary<Draft> {
  return waitingFor(command, jids, NO_JOBS, ...words);
}

/** As `about`, when there are also jobs to wait for. */
export function waitingFor(
  command: CommandName,
  jids: fc.Arbitrary<Pick[]>,
  on: fc.Arbitrary<Pick[]>,
  ...words: fc.Arbitrary<Word[]>[]
): fc.Arbitrary<Draft> {
  return fc
    .record({ jids, on, words: fc.tuple(...words) })
    .map(({ jids, on, words }) => ({ command, jids, on, words: words.flat(), bad: false }));
}

/** Exactly these jobs. */
export const jobs = (...picks: fc.Arbitrary<Pick>[]): fc.Arbitrary<Pick[]> => fc.tuple(...picks);

/** These words, each one an arbitrary or itself. */
export function words(...parts: (fc.Arbitrary<Word> | Word)[]): fc.Arbitrary<Word[]> {
  return fc.tuple(
    ...parts.map((part) => (part instanceof fc.Arbitrary ? part : fc.constant<Word>(part))),
  );
}

/** The words, or one time in `freq` nothing. */
export function often(arbitrary: fc.Arbitrary<Word[]>, freq = 3): fc.Arbitrary<Word[]> {
  return fc.option(arbitrary, { nil: [], freq });
}

/** One time in `freq` the words, else nothing. */
export function seldom(arbitrary: fc.Arbitrary<Word[]>, freq = 3): fc.Arbitrary<Word[]> {
  return fc.oneof({ weight: freq, arbitrary: fc.constant<Word[]>([]) }, { weight: 1, arbitrary });
}

/** An optional argument that may also be given empty. */
export const maybe = (arbitrary: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 2, arbitrary }, { weight: 1, arbitrary: fc.constant("") });

/** Names as a JSON array. */
export const listed = (name: fc.Arbitrary<string>, maxLength = 3): fc.Arbitrary<string> =>
  fc.array(name, { maxLength }).map((names) => JSON.stringify(names));

/** Refers to some of the first `count` jobs to wait for. */
export const dependingOn = (count: number): fc.Arbitrary<Word> =>
  fc.subarray([...Array(count).keys()]).map((list) => ({ list }));

/** A list of words with the number of them in front, as batches have it. */
export const counted = (arbitrary: fc.Arbitrary<Word[]>): fc.Arbitrary<Word[]> =>
  arbitrary.map((list) => [String(list.length), ...list]);

/** The right lease mostly, else none or one of before. */
export const leaseWord = (job: number): fc.Arbitrary<Word> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Word>({ lease: job }) },
    { weight: 1, arbitrary: fc.constant<Word>({ stale: job }) },
  );

/** The worker that holds the job mostly, else any. */
export const holder = (job: number, any: fc.Arbitrary<string>): fc.Arbitrary<Word> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<Word>({ worker: job }) },
    { weight: 1, arbitrary: any },
  );

/** The queue in which the job runs mostly, else any. */
export const heldIn = (job: number, any: fc.Arbitrary<string>): fc.Arbitrary<Word> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<Word>({ queue: job }) },
    { weight: 1, arbitrary: any },
  );
