/**
 * What is measured: which systems take part, with what task, which figure counts, and the budget of
 * qless against BullMQ where there is one. `more` is whether a higher figure is better.
 */

const REDIS = ["qless", "BullMQ", "bee-queue"];
const ALL = [...REDIS, "graphile-worker"];
const perSecond = { figure: "perSecond", unit: "jobs/s", more: true };

/**
 * Turns of a round, jobs in a turn, which are some tenths of a second, jobs before the first turn, and
 * how many times as many rounds there are as of other measurements. Until Node has compiled what a
 * worker does for good, it has about half of its speed, for some tenths of a second: that is over
 * when the turns begin. In all there are fewer jobs than qless keeps when they are done. With few at
 * a time much of the time goes by until the other process wakes up, and where that is a virtual
 * machine's business, it takes several times as long in one second as in the next: so more rounds.
 */
export const TURNS = {
  1: { turns: 6, jobs: 4_000, warm: 5_000, times: 2 },
  10: { turns: 2, jobs: 15_000, warm: 14_000, times: 3 },
  100: { turns: 2, jobs: 16_000, warm: 12_000, times: 2 },
};

const noop = (concurrency, budget) => ({
  id: `noop-${concurrency}`,
  title: `No-op jobs, concurrency ${concurrency}`,
  systems: ALL,
  inTurns: true,
  times: TURNS[concurrency].times,
  task: { concurrency, ...TURNS[concurrency] },
  rows: [
    { ...perSecond, budget },
    {
      ...{ figure: "cpu", unit: "us of Redis CPU a job, put included", more: false },
      ...(concurrency === 100 && { budget: 0.5 }),
    },
  ],
});

const busy = (concurrency) => ({
  id: `busy-${concurrency}`,
  title: `Jobs of 1 ms, concurrency ${concurrency}`,
  systems: REDIS,
  task: {
    kind: "work",
    jobs: { 1: 400, 10: 2_500, 100: 4_000 }[concurrency],
    concurrency,
    handler: "1ms",
  },
  rows: [perSecond],
});

const far = (concurrency, budget) => ({
  id: `far-${concurrency}`,
  title: `No-op jobs with 1 ms more of round trip, concurrency ${concurrency}`,
  systems: REDIS,
  far: true,
  task: { kind: "work", jobs: { 1: 200, 10: 1_500, 100: 5_000 }[concurrency], concurrency },
  rows: [{ ...perSecond, budget }],
});

const latency = (id, title, task, budget) => ({
  id,
  title,
  systems: ALL,
  task: { kind: "latency", ...task },
  rows: ["p50", "p99", "p999"].map((figure) => ({
    ...{ figure, unit: `ms, ${figure === "p999" ? "p99.9" : figure}`, more: false },
    budget: figure === "p999" ? undefined : budget,
  })),
});

export const MEASURES = [
  {
    id: "put",
    title: "Single put, 200 in flight",
    systems: ALL,
    task: { kind: "put", jobs: 15_000, width: 200 },
    rows: [{ ...perSecond, budget: 1 }],
  },
  {
    id: "bulk",
    title: "Bulk put, 1,000 a call",
    systems: ALL,
    task: { kind: "put", jobs: 30_000, bulk: 1_000 },
    rows: [{ ...perSecond, budget: 4 }],
  },
  noop(1, 1.5),
  noop(10, 2),
  noop(100, 2.5),
  busy(1),
  busy(10),
  busy(100),
  far(1),
  far(10),
  far(100, 2),
  {
    id: "processes",
    title: "No-op jobs, four worker processes with 25 each",
    systems: ALL,
    task: { kind: "work", jobs: 10_000, concurrency: 100, processes: 4 },
    rows: [perSecond],
  },
  latency("latency", "Put to start, idle worker", { count: 300 }, 1),
  latency("open", "Put to start, 500 jobs a second, open loop", { count: 1_000, rate: 500 }),
  {
    id: "due",
    title: "Due to start, idle worker",
    systems: REDIS,
    task: { kind: "due", count: 400 },
    rows: [
      { figure: "p50", unit: "ms after a delay, p50", more: false },
      { figure: "p99", unit: "ms after a delay, p99", more: false, most: 10 },
      { figure: "againP50", unit: "ms after the rest of a retry, p50", more: false },
      { figure: "againP99", unit: "ms after the rest of a retry, p99", more: false, most: 10 },
    ],
  },
  {
    id: "sqlite",
    title: "No-op jobs on SQLite, concurrency 10, beside BullMQ on Redis",
    systems: ["qless on SQLite", "BullMQ", "qless on SQLite without fsync"],
    task: { kind: "work", jobs: 30_000, concurrency: 10 },
    rows: [{ ...perSecond, budget: 0.5 }],
  },
  ...[1, 10].map((batch) => ({
    id: `cycle-${batch}`,
    title: `Put, take and complete, ${batch === 1 ? "one job" : `${batch} jobs`} a call`,
    systems: ["qless", "BullMQ"],
    task: { kind: "cycle", jobs: 10_000, bulk: 500, batch },
    rows: [
      {
        ...{ figure: "cpu", unit: "us of Redis CPU a job", more: false },
        budget: batch === 1 ? 1 : 0.5,
      },
    ],
  })),
  ...[20, 500].map((payload) => ({
    id: `memory-${payload}`,
    title: `Redis memory, payload of ${payload} bytes`,
    systems: REDIS,
    rounds: 1,
    task: { kind: "weigh", jobs: 10_000, bulk: 100, payload },
    rows: [
      { figure: "waiting", unit: "bytes a waiting job", more: false, budget: 2 },
      { figure: "completed", unit: "bytes kept of a completed job", more: false },
    ],
  })),
  {
    id: "idle",
    title: "Idle process, 50 queues, 25 jobs at a time",
    systems: REDIS,
    rounds: 1,
    task: { kind: "idle", seconds: 15 },
    rows: [
      { figure: "perSecond", unit: "commands/s", more: false, most: 2 },
      { figure: "connections", unit: "connections", more: false, most: 3 },
    ],
  },
];
