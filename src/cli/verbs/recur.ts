import { engineTime } from "../../client/engine-time.ts";
import type { CountsJson } from "../../client/queue-types.ts";
import { invalid, seconds } from "../../client/times.ts";
import type { Desk } from "../desk.ts";
import type { Flags } from "../flags.ts";
import { DATE_LEAST, dateOf, lengthOf, secondsOf } from "../moments.ts";
import { plain } from "../plain.ts";
import { checkedJson, textIn } from "../reading.ts";
import { tableOf, WHOLE } from "../table.ts";
import type { Flag, Verb, Word } from "../verb.ts";

/** Verbs about jobs that are put again and again: at an interval, or by the calendar. */

/** A recurring job as `recur.get` tells it. */
export interface RecurringJson {
  jid: string;
  klass: string;
  queue: string;
  interval: number;
  count: number;
  /** Left out unless it is, as the next is while it is. */
  paused?: true;
  next?: number;
}

/** A schedule as `cron.get` tells it. */
export interface ScheduleJson {
  jid: string;
  klass: string;
  queue: string;
  cron: string;
  zone: string;
  paused: boolean;
  runs: number;
  next: number;
}

const JID: Word = { word: "<jid>", about: "its id, which begins the jids of its children" };
const QUEUE: Word = { word: "<queue>", about: "where children are put" };
const KLASS: Word = { word: "<klass>", about: "of the children" };
const DATA: Word = { word: "[data]", about: "of the children: JSON, @file, or - ({})" };
const OF_CHILDREN: readonly Flag[] = [
  { flag: "--priority <n>", about: "of the children (0)" },
  { flag: "--tags <a,b>", about: "of the children" },
];
/** Recurring jobs of a queue, and schedules, that are listed. */
export const MOST = 1000;

export const recurList: Verb = {
  name: "recur list",
  about: "List jobs that are put again and again, and when next.",
  examples: ["qless recur", "qless recur list --json"],
  at: "queues",
  async run(desk) {
    const recurring = await allRecurring(desk);
    const schedules = await (await desk.calls()).json<ScheduleJson[]>("cron.list", [0, MOST]);
    desk.out.show({ recurring, schedules }, () => listLines(recurring, schedules));
    return undefined;
  },
};

async function allRecurring(desk: Desk): Promise<RecurringJson[]> {
  const calls = await desk.calls();
  const all: RecurringJson[] = [];
  for (const { name, recurring } of await calls.json<CountsJson[]>("queues", ["", 0, MOST])) {
    if (recurring === 0) continue;
    for (const jid of (await calls.read("jobs", ["recurring", name, 0, MOST])) as string[]) {
      const one = await calls.json<RecurringJson | undefined>("recur.get", [jid]);
      if (one !== undefined) all.push(one);
    }
  }
  return all;
}

function listLines(recurring: readonly RecurringJson[], schedules: readonly ScheduleJson[]) {
  const rows = [
    ...recurring.map((one) => ({
      ...one,
      when: `every ${lengthOf(one.interval * 1000)}`,
      isPaused: one.paused === true,
    })),
    ...schedules.map((one) => ({
      ...one,
      when: `${one.cron} (${one.zone})`,
      count: one.runs,
      isPaused: one.paused,
    })),
  ];
  if (rows.length === 0) return ["Nothing recurs."];
  return tableOf(rows, [
    { title: "JID", least: WHOLE, of: ({ jid }) => jid },
    { title: "KLASS", of: ({ klass }) => klass },
    { title: "QUEUE", least: WHOLE, of: ({ queue }) => queue },
    { title: "WHEN", of: ({ when }) => when },
    { title: "CHILDREN", of: ({ count }) => count },
    {
      title: "NEXT",
      least: DATE_LEAST,
      of: ({ next, isPaused }) => (isPaused ? "paused" : dateOf(secondsOf(next))),
    },
  ]);
}

export const recurPut: Verb = {
  name: "recur put",
  about: "Put a job again and again at an interval, or change one that is.",
  words: [JID, QUEUE, KLASS, DATA],
  flags: [
    { flag: "--every <time>", about: "from one child to the next, such as 15m; it must be said" },
    { flag: "--offset <time>", about: "from now to the first child (0s)" },
    { flag: "--backlog <n>", about: "of children that were missed, how many are still put (all)" },
    ...OF_CHILDREN,
    { flag: "--retries <n>", about: "of the children (0)" },
  ],
  examples: ["qless recur put cleanup maintenance cleanup --every 15m --offset 1m"],
  at: "place",
  async run(desk) {
    const [jid, queue, klass, word = "{}"] = desk.words as [string, string, string, string?];
    const every = desk.flags.time("every");
    if (every === undefined) throw invalid("How often? Say --every 15m, or use qless recur cron");
    const data = checkedJson((await textIn(word)).trim(), "Data");
    const offset = seconds(desk.flags.time("offset") ?? "0s", "--offset");
    const words = [queue, jid, klass, data, "interval", seconds(every, "--every"), offset];
    const backlog = desk.flags.whole("backlog");
    const said = [
      ...childWords(desk.flags),
      ...(backlog === undefined ? [] : ["backlog", backlog]),
    ];
    await (await desk.calls()).write("recur", [...words, ...said]);
    desk.out.show({ jid }, () => [plain(jid)]);
    return undefined;
  },
};

function childWords(flags: Flags): (string | number)[] {
  const tags = flags.names("tags");
  const said = {
    priority: flags.number("priority"),
    tags: tags && JSON.stringify(tags),
    retries: flags.whole("retries"),
  };
  return Object.entries(said).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
}

export const recurCron: Verb = {
  name: "recur cron",
  about: "Put a job by the calendar, or change a schedule.",
  words: [JID, QUEUE, KLASS, { word: "<cron>", about: "such as '0 9 * * 1-5'" }, DATA],
  flags: [
    { flag: "--zone <zone>", about: "the IANA time zone, such as Europe/Berlin (UTC)" },
    {
      flag: "--overlap <how>",
      about: "while the last child has not ended (allow)",
      choices: ["allow", "skip"],
    },
    {
      flag: "--missed <how>",
      about: "runs that were missed (one)",
      choices: ["skip", "one", "all"],
    },
    { flag: "--backlog <n>", about: "how many missed runs are made up for at most (100)" },
    { flag: "--jitter <time>", about: "hold children back by chance, up to so long" },
    ...OF_CHILDREN,
    { flag: "--retries <n>", about: "of the children (as of put)" },
  ],
  examples: ["qless recur cron report reports daily '0 9 * * 1-5' --zone Europe/Berlin"],
  notes: "Workers fire schedules. Saying the same again changes nothing.",
  at: "place",
  async run(desk) {
    const [jid, queue, klass, cron, word = "{}"] = desk.words as string[];
    const { flags } = desk;
    const data = checkedJson((await textIn(word)).trim(), "Data");
    const zone = flags.text("zone") ?? "UTC";
    const jitter = flags.time("jitter");
    const rest = {
      overlap: flags.text("overlap"),
      missed: flags.text("missed"),
      backlog: flags.whole("backlog"),
      jitter: jitter && seconds(jitter, "--jitter"),
    };
    const client = await desk.open();
    const calls = await desk.calls();
    const [next] = client.schedules.nextRuns(cron!, 1, zone, await engineTime(calls));
    if (next === undefined) throw invalid(`Cron ${JSON.stringify(cron)} never comes round`);
    const said = Object.entries(rest).flatMap(([name, value]) =>
      value === undefined ? [] : [name, value],
    );
    const words = [jid!, queue!, klass!, data, cron!, zone, next.getTime() / 1000];
    await calls.write("cron.put", [...words, ...childWords(flags), ...said]);
    desk.out.show({ jid, next: next.getTime() / 1000 }, () => [plain(`${jid}: ${dateOf(next)}`)]);
    return undefined;
  },
};
