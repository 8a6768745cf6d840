import { expect } from "vitest";
import { type Act, type Damage, everyDamageIsMended, pops } from "../damage.ts";
import { FIRST, NEW, putCron } from "../schedules.ts";

const scheduled: Act = (bench) => putCron(bench, { overlap: "skip", retries: 2, source: "x" });
const asleep: Act = async (bench) => {
  await putCron(bench);
  await bench.call("cron.pause", "s");
};
const isNew: Act = async (bench) => {
  const said = { overlap: "skip", retries: 2, source: "x" };
  expect(await bench.json("cron.list")).toEqual([{ ...NEW, ...said }]);
  expect((await bench.at(FIRST).json("cron.due")).schedules).toHaveLength(1);
};
const fires: Act = async (bench) => {
  const {
    schedules: [due],
  } = await bench.at(FIRST + 600).json("cron.due");
  const child = await bench.call("cron.fire", "s", due.next, due.next + 60);
  expect(child).toBe(`s-${Math.floor(due.next)}`);
};

const INDEXES: Damage[] = [
  {
    what: "a schedule that is not among those to fire",
    before: scheduled,
    damage: (_, hands) => hands.unrank("crons-next", "s"),
    tells: ["s", /missing in .*crons-next/],
    after: isNew,
  },
  {
    what: "a schedule that is to be fired at another time",
    before: scheduled,
    damage: (_, hands) => hands.rank("crons-next", 5, "s"),
    tells: ["s", /time is wrong in .*crons-next/],
    after: isNew,
  },
  {
    what: "a schedule that is not listed",
    before: scheduled,
    damage: (_, hands) => hands.unrank("crons", "s"),
    tells: ["s", /missing in .*crons$/],
    after: isNew,
  },
  ...["crons", "crons-next"].map((ranking) => ({
    what: `a schedule without a record in ${ranking}`,
    before: scheduled,
    damage: ((_, hands) => hands.rank(ranking, 5, "ghost")) satisfies Act,
    tells: ["ghost", new RegExp(`does not belong in .*${ranking}$`)] as [string, RegExp],
    after: isNew,
  })),
  {
    what: "a paused schedule among those to fire",
    before: asleep,
    damage: (_, hands) => hands.rank("crons-next", FIRST * 1000, "s"),
    tells: ["s", /does not belong in .*crons-next/],
    after: async (bench) => expect((await bench.at(FIRST).json("cron.due")).schedules).toEqual([]),
  },
];

const unreadable = (name: string, value: string, after: Act): Damage => ({
  what: `a schedule whose ${name} is ${value}`,
  before: scheduled,
  damage: (_, hands) => hands.set("cron:s", name, value),
  tells: ["s", new RegExp(`its ${name} cannot be read`)],
  after,
});

const is =
  (name: string, value: unknown): Act =>
  async (bench) =>
    expect(await bench.json("cron.get", "s")).toMatchObject({ [name]: value });

const RECORDS: Damage[] = [
  ...["klass", "queue", "data", "cron", "zone"].map((name) => ({
    what: `a schedule that has lost its ${name}`,
    before: scheduled,
    damage: ((_, hands) => hands.unset("cron:s", name)) satisfies Act,
    tells: ["s", /its record is not a schedule/] as [string, RegExp],
    after: (async (bench) => {
      expect(await bench.json("cron.list")).toEqual([]);
      expect(await bench.json("tick")).toMatchObject({ next: null });
      await putCron(bench);
    }) satisfies Act,
  })),
  unreadable("next", "soon", isNew),
  {
    what: "a schedule whose next tick is known to nobody",
    before: scheduled,
    damage: async (_, hands) => {
      await hands.unset("cron:s", "next");
      await hands.unrank("crons-next", "s");
    },
    tells: ["s", /its next cannot be read/],
    after: fires,
  },
  unreadable("priority", "high", fires),
  unreadable("tags", "x", fires),
  unreadable("overlap", "maybe", is("overlap", "allow")),
  unreadable("missed", "never", is("missed", "one")),
  unreadable("backlog", "much", is("backlog", 100)),
  unreadable("jitter", "some", is("jitter", 0)),
  unreadable("runs", "many", fires),
  unreadable("skipped", "few", fires),
  unreadable("retries", "some", is("retries", null)),
  unreadable("source", "\n", is("source", null)),
  unreadable("backoff", "slow", is("backoff", null)),
  unreadable("last", "then", is("last", null)),
  unreadable("child", "\n", fires),
];

const resting: Act = async (bench) => {
  await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60);
  await bench.call("recur.pause", "r");
};
const staysPaused: Act = async (bench, hands) => {
  await pops("q")(bench.later(90), hands);
  expect(await bench.json("recur.get", "r")).toHaveProperty("paused");
  expect(await bench.call("recur.unpause", "r")).toBe(1);
  await pops("q", "r-1")(bench.later(60), hands);
};
const NEVER = 4_398_046_511.103;

const INTERVALS: Damage[] = [
  {
    what: "a paused recurring job that has a time",
    before: resting,
    damage: (_, hands) => hands.rank("q:q-recur", 1_000_060, "r"),
    tells: ["r", /time is wrong in .*q:q-recur/],
    after: staysPaused,
  },
  {
    what: "a paused recurring job that is not among the recurring of its queue",
    before: resting,
    damage: (_, hands) => hands.unrank("q:q-recur", "r"),
    tells: ["r", /missing in .*q:q-recur/],
    after: staysPaused,
  },
  {
    what: "a recurring job that is not paused and has no time",
    before: (bench) => bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60),
    damage: (_, hands) => hands.rank("q:q-recur", NEVER, "r"),
    tells: ["r", /time is wrong in .*q:q-recur/],
    after: pops("q", "r-1"),
  },
  ...["paused", "resume"].flatMap((name): Damage[] => [
    {
      what: `a recurring job whose ${name} is no time`,
      before: resting,
      damage: (_, hands) => hands.set("r:r", name, "then"),
      tells: ["r", new RegExp(`its ${name} cannot be read`)],
      after: staysPaused,
    },
    {
      what: `a paused recurring job that has lost its ${name}`,
      before: resting,
      damage: (_, hands) => hands.unset("r:r", name),
      tells: ["r", new RegExp(`its ${name} cannot be read`)],
      after: staysPaused,
    },
  ]),
];

const paused: Act = async (bench) => {
  await bench.put("q", "a");
  await bench.call("queue.pause", "q", "reason", "why", "until", FIRST);
};
const goesOnAtItsEnd: Act = async (bench, hands) => {
  await pops("q")(bench, hands);
  await pops("q", "a")(bench.at(FIRST), hands);
};

const PAUSES: Damage[] = [
  {
    what: "a pause that has lost its beginning",
    before: paused,
    damage: (_, hands) => hands.unset("queue:q", "paused"),
    tells: ["q", /the queue's paused is lost/],
    after: goesOnAtItsEnd,
  },
  {
    what: "a pause whose end cannot be read",
    before: paused,
    damage: (_, hands) => hands.set("queue:q", "pausedUntil", "soon"),
    tells: ["q", /the queue's pausedUntil cannot be read/],
    after: async (bench, hands) => {
      await pops("q")(bench.at(FIRST), hands);
      await bench.call("unpause", "q");
    },
  },
  {
    what: "a pause whose end nobody is woken for",
    before: paused,
    damage: async (_, hands) => {
      await hands.unset("queue:q", "due");
      await hands.unrank("due", "q");
    },
    tells: ["q", /housekeeping is not noted/],
    after: async (bench, hands) => {
      expect(await bench.json("tick")).toMatchObject({ next: FIRST });
      await goesOnAtItsEnd(bench, hands);
    },
  },
];

everyDamageIsMended([...INDEXES, ...RECORDS, ...INTERVALS, ...PAUSES]);
