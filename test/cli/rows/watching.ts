import { expect } from "vitest";
import type { Client } from "../../../src/client/client.ts";
import type { Row, Rows } from "./row.ts";

/** Runs jobs that waited and ran for some seconds, by a clock of their own. */
async function ran(client: Client): Promise<void> {
  const now = Date.parse("2031-01-31T12:00:00Z");
  for (const [i, ms] of [500, 3000, 3000, 90_000].entries()) {
    await client.engine.call("put", ["me", "q", `j${i}`, "k", "{}", 0], { now });
    await client.engine.call("pop", ["q", "w", 1], { now: now + ms });
    await client.engine.call("complete", [`j${i}`, "w", "q", "{}"], { now: now + ms + 1000 });
  }
}

async function failing(client: Client): Promise<void> {
  for (const jid of ["a", "b"]) {
    await client.queue("q").put("k", {}, { jid });
    const [job] = await client.queue("q").pop({ worker: "w" });
    await job!.fail("smtp", "no\u001b route");
  }
}

const DAY = ["q", "--day", "2031-01-31"];

/** An index that names a job which there is not. */
const damage: NonNullable<Row["before"]> = async (client) => {
  await client.queue("q").put("k", {}, { jid: "a", tags: ["t"] });
  await client.engine.call("config.set", ["q-retries", "x".repeat(3)]).catch(() => {});
};

export const WATCHING: Rows = {
  failed: [
    { does: "says that there are none", out: "No failed jobs.\n" },
    { does: "counts by group", before: failing, json: { smtp: 2 } },
    {
      does: "lists a group, and obeys nothing in its messages",
      before: failing,
      words: ["smtp", "--count", "1"],
      out: /^JID .*\nb .*no\\u001b route\n1 of 2\n$/,
    },
    {
      does: "leaves stacks to get",
      before: async (client) => {
        await client.queue("q").put("k", {}, { jid: "a" });
        const [job] = await client.queue("q").pop({ worker: "w" });
        await job!.fail("smtp", "no route\n    at one");
      },
      words: ["smtp"],
      out: / no route\n$/,
    },
    {
      does: "tells jobs as JSON",
      before: failing,
      words: ["smtp"],
      json: { total: 2, jobs: [expect.objectContaining({ jid: "b" }), expect.anything()] },
    },
    {
      does: "refuses a count that is none",
      words: ["--count", "x"],
      code: 2,
      error: /^qless: --count/,
    },
  ],
  stats: [
    { does: "has nothing to tell of a queue without jobs", words: ["q"], out: /No job waited/ },
    {
      does: "counts one job as one",
      before: async (client) => {
        await client.queue("q").put("k", {}, { jid: "a" });
        await client.queue("q").pop({ worker: "w" });
      },
      words: ["q"],
      out: /\n1 job waited: mean /,
    },
    {
      does: "draws histograms",
      before: ran,
      words: DAY,
      out: /^q on 2031-01-31 \(UTC\)\nFailures: 0, of .*\n\n4 jobs waited: mean [\s\S]*\n {4}0s {2}█+ 1\n {4}1s {2}0\n {4}2s {2}█+ 2\n[\s\S]*\n {4}1m {2}█+ 1\n/,
    },
    {
      does: "tells them as the protocol does",
      before: ran,
      words: DAY,
      json: expect.objectContaining({ wait: expect.objectContaining({ count: 4 }), failures: 0 }),
    },
    {
      does: "refuses a day that is none",
      words: ["q", "--day", "monday"],
      code: 2,
      error: "--day must be a date such as 2031-01-31",
    },
  ],
  workers: [
    { does: "says that there are none", out: "No workers.\n" },
    {
      does: "lists them, whatever they say of themselves",
      before: (client) =>
        client.engine.call("worker.present", [
          "w\u202e".slice(0, 1),
          60,
          '{"host":"h\\u001b","pid":7,"memory":[]}',
          "queues",
          '["q"]',
        ]),
      out: /^WORKER .*\nw +0 +0 +q .*h\\u001b +7/,
    },
    {
      does: "says what came to one that it has no handler for",
      before: (client) =>
        client.engine.call("worker.present", ["w", 60, '{"unhandled":["strange","odd\\u001b",7]}']),
      out: /^WORKER .*\nw +0 +0\nw has no handler for strange, odd\\u001b\n$/,
    },
    {
      does: "shows what one is and does, whatever else it says",
      before: async (client) => {
        await client.queue("q").putMany(["a", "b"].map((jid) => ({ klass: "k", data: 0, jid })));
        await client.queue("q").pop({ worker: "w", count: 2 });
        const run = { jid: "a", klass: "k", since: "2031-01-31T12:00:00Z", said: "on it" };
        const runs = [{ ...run, progress: 0.5 }, 7, { jid: "b", klass: [], progress: "x" }];
        const facts = { version: "0.1.0", paused: true, runs, unhandled: ["strange"] };
        const lists = ["queues", '["q"]', "klasses", '["k","l"]'];
        await client.engine.call("worker.present", ["w", 60, JSON.stringify(facts), ...lists]);
      },
      words: ["w"],
      out: /klasses +k, l\nno handler for +strange\npaused +yes\nversion +0\.1\.0\n\nJID +LOCK +KLASS +SINCE +PROGRESS +SAYS\nb +lasts\na +lasts +k .* 50% +on it\n$/,
    },
    {
      does: "tells the jobs of one",
      before: async (client) => {
        await client.queue("q").put("k", {}, { jid: "a" });
        await client.queue("q").pop({ worker: "w" });
      },
      words: ["w"],
      json: { jobs: ["a"], stalled: [] },
    },
    {
      does: "refuses one that there is not",
      words: ["nope"],
      ...{ code: 3, error: "There is no worker nope: see qless workers" },
    },
    {
      does: "forgets none that there is not",
      words: ["nope", "--forget"],
      ...{ code: 3, error: "There is no worker nope: see qless workers" },
    },
    {
      does: "knows one without jobs",
      before: (client) => client.queue("q").pop({ worker: "w" }),
      words: ["w"],
      out: "No jobs.\n",
    },
    {
      does: "knows one that holds jobs, though it is off the list",
      before: async (client) => {
        await client.queue("q").put("k", {}, { jid: "a" });
        await client.queue("q").pop({ worker: "w" });
        await client.workers.deregister("w");
      },
      words: ["w"],
      json: { jobs: ["a"], stalled: [] },
    },
    {
      does: "forgets one",
      before: (client) => client.queue("q").pop({ worker: "w" }),
      words: ["w", "--forget"],
      out: "w is off the list\n",
      after: async (client) => expect(await client.workers.list()).toEqual([]),
    },
    {
      does: "needs to know which to forget",
      words: ["--forget"],
      code: 2,
      error: /^qless: Which worker\?/,
    },
  ],
  "config list": [
    {
      does: "shows all settings",
      json: expect.objectContaining({
        heartbeat: expect.anything(),
        "priority-order": "lowest-first",
      }),
    },
    {
      does: "shows those of a queue",
      before: (client) => client.config.setQueue("q", "retries", 2),
      words: ["--queue", "q"],
      out: /^SETTING +VALUE\nq-retries +2\n$/,
    },
    {
      does: "shows nothing of queues whose names begin the same",
      before: async (client) => {
        await client.config.setQueue("q-2", "retries", 2);
        await client.config.setQueue("q", "heartbeat", "30s");
      },
      words: ["--queue", "q"],
      json: { "q-heartbeat": 30 },
    },
    {
      does: "says that a queue has none of its own",
      words: ["--queue", "jobs"],
      out: "jobs has no settings of its own.\n",
    },
    { does: "takes no words", words: ["x"], code: 2, error: /^qless: too many arguments/ },
  ],
  "config set": [
    {
      does: "changes a setting",
      words: ["heartbeat", "90s"],
      out: "heartbeat is 90s\n",
      after: async (client) => expect(await client.config.get("heartbeat")).toBe("90"),
    },
    {
      does: "changes one of a queue",
      words: ["max-concurrency", "5", "--queue", "q"],
      json: { setting: "max-concurrency", queue: "q", value: "5" },
    },
    {
      does: "refuses one that there is not",
      words: ["hartbeat", "90s"],
      code: 2,
      error: /^qless: There is no setting "hartbeat"; the settings are /,
    },
    {
      does: "needs the unit of a time",
      words: ["heartbeat", "90"],
      code: 2,
      error: "heartbeat needs a unit: 90s or 90ms",
    },
    {
      does: "says how a time is written",
      words: ["heartbeat", "long"],
      code: 2,
      error: 'heartbeat must be a time such as 30s or 1h 30m, not "long"',
    },
    {
      does: "refuses a value that it cannot have",
      words: ["max-concurrency", "many", "--queue", "q"],
      code: 2,
      error: /^qless: /,
    },
  ],
  "config unset": [
    {
      does: "brings a setting back",
      before: (client) => client.config.set("heartbeat", "90s"),
      words: ["heartbeat"],
      json: { setting: "heartbeat", queue: null },
      after: async (client) => expect(await client.config.get("heartbeat")).toBe("60"),
    },
    {
      does: "brings one of a queue back",
      before: (client) => client.config.setQueue("q", "retries", 2),
      words: ["retries", "--queue", "q"],
      out: "retries of q is at its default\n",
    },
    {
      does: "refuses one that there is not",
      words: ["x"],
      code: 2,
      error: /^qless: There is no setting "x"/,
    },
  ],
  check: [
    { does: "finds nothing", before: damage, out: /^0 disagreements; \d+ entries looked at\n$/ },
    {
      does: "tells it as JSON",
      json: { checked: expect.any(Number), found: 0, repaired: false, problems: [] },
    },
    {
      does: "asks before it mends",
      words: ["--repair"],
      code: 2,
      error: /^qless: Mend what disagrees\?/,
    },
  ],
};
