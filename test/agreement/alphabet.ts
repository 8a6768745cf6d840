import fc from "fast-check";
import { type Pick, type Seen, STATES } from "./step.ts";

/** Few names, so that calls meet. The last three sort differently by bytes and by UTF-16. */
export const JIDS = ["a", "b", "c", "d", "é", "𝒜", "\uffee"];
export const QUEUES = ["q1", "q2", "q3"];
export const WORKERS = ["w1", "w2", "w3"];
export const TAGS = ["x", "y", "é"];
export const GROUPS = ["g", "h"];
export const KEYS = ["u", "v", "é"];
export const RECURRING = ["r", "𝒜"];

const of = (...words: string[]) => fc.constantFrom(...words);

export const queue = of(...QUEUES);
export const worker = of(...WORKERS);
export const tag = of(...TAGS);
export const group = of(...GROUPS);
export const recurring = of(...RECURRING);
export const klass = of("k", "Klass é");
export const message = of(
  "it broke",
  "",
  'é𝒜\uffee "quoted" \\ / \u2028',
  "tab\t line\n \\u007f \u007f \u0001",
);
export const source = of("s", "\uffee");

/** More than fits beside a record's other fields in SQLite. */
const LONG = JSON.stringify("long é".repeat(300));

export const data = of(
  "{}",
  "[]",
  '{"n":123456789012345678,"x":[null,{}]}',
  '"é𝒜/\\u00e9 \\u007f \u007f"',
  LONG,
);

export const priority = fc.oneof(
  { weight: 4, arbitrary: of("0", "1", "-1", "2") },
  { weight: 1, arbitrary: of("0.1", "-0.5", "2.5", "1e3", "-1000000000", "999999999.9999") },
);

export const delay = fc.oneof(
  { weight: 6, arbitrary: of("0") },
  { weight: 3, arbitrary: of("30", "5", "90") },
  { weight: 1, arbitrary: of("-1", "0.25") },
);

/** Moments before the history, within it, and none that it reaches. */
export const moment = of("5", "1700006150", "1700006300.5", "1700006900", "1800000000");

export const key = of(...KEYS);
export const context = of("{}", '{"a":[1,{}],"é":"𝒜/\\u00e9"}', ' {"a" : 1e3} ');

export const retries = of("0", "0", "1", "2", "5");
export const backoff = of("fixed 30", "linear 10 cap 25", "exponential 10 cap 30 jitter 0.5");
export const cutoff = of("0", "15", "100");
export const count = fc.oneof(
  { weight: 8, arbitrary: of("1", "1", "2", "3") },
  { weight: 1, arbitrary: of("0", "100") },
);

/** Settings with values so small that histories reach them. */
export const setting = fc.oneof(
  setTo("heartbeat", "10", "60", "-5", "0"),
  setTo("q1-heartbeat", "5", "30.5"),
  setTo("heartbeat-q1", "20"),
  setTo("heartbeat-q2", "20", "200"),
  setTo("grace-period", "0", "5", "20", "-1"),
  setTo("q1-max-concurrency", "1", "2", "0"),
  setTo("q1-max-concurrency", "1", "1"),
  setTo("q2-max-concurrency", "1"),
  setTo("q2-retries", "0", "1"),
  setTo("q2-backoff", "fixed 20", "linear 10"),
  setTo("q3-cutoff", "20", "0"),
  setTo("max-job-history", "1", "2", "3", "0"),
  setTo("priority-order", "highest-first", "lowest-first"),
  setTo("jobs-history-count", "1", "2"),
  setTo("max-worker-age", "50", "0"),
  setTo("application", "é"),
  setTo("of nobody", "", "1"),
);

/** Settings after which completed jobs or statistics go away, so set seldom. */
export const harshSetting = fc.oneof(
  setTo("jobs-history", "0", "50", "-1"),
  setTo("jobs-history-count", "0"),
  setTo("stats-history", "0", "1"),
  setTo("histogram-history", "0"),
);

function setTo(name: string, ...values: string[]): fc.Arbitrary<[string, string]> {
  return fc.tuple(fc.constant(name), of(...values));
}

const at = fc.nat(7);
const named: fc.Arbitrary<Pick> = of(...JIDS).map((jid) => ({ jid }));

/** The states that jobs are seldom in are asked for more often. */
const RARE: Seen[] = ["stalled", "failed", "complete"].flatMap((state) => Array(3).fill(state));
const anyState = fc.constantFrom<Seen>(...STATES, ...RARE);
const inAnyState: fc.Arbitrary<Pick> = fc.record({ state: anyState, at });

const inState = (state: Seen): fc.Arbitrary<Pick> => fc.record({ state: fc.constant(state), at });

/** Any job in any state. */
export const anyJob: fc.Arbitrary<Pick> = fc.oneof(
  { weight: 1, arbitrary: named },
  { weight: 2, arbitrary: inAnyState },
);

/** A job that is mostly in that state. */
export const mostly = (state: Seen): fc.Arbitrary<Pick> =>
  fc.oneof(
    { weight: 1, arbitrary: named },
    { weight: 4, arbitrary: inAnyState },
    { weight: 8, arbitrary: inState(state) },
  );
