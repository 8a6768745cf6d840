import { expect } from "vitest";
import type { Client } from "../../../src/client/client.ts";
import type { Row, Rows } from "./row.ts";

const three: Row["before"] = async (client) => {
  for (const jid of ["a", "b", "c"]) await client.queue("q").put("k", {}, { jid });
};

/** Runs a job, and fails it if a group is given. */
async function run(client: Client, jid: string, group?: string): Promise<void> {
  await client.queue("r").put("k", {}, { jid });
  const [job] = await client.queue("r").pop({ worker: "w" });
  if (group !== undefined) await job!.fail(group, "no good");
}

const statesAre =
  (states: Record<string, string | undefined>): NonNullable<Row["after"]> =>
  async (client) => {
    for (const [jid, state] of Object.entries(states)) {
      expect([jid, (await client.get(jid))?.state]).toEqual([jid, state]);
    }
  };

const DONE = (done: number) => ({ found: done, done, refused: 0, errors: [] });
const NOWHERE = {
  code: 3,
  json: {
    found: 1,
    done: 0,
    refused: 1,
    errors: [{ jid: "nope", code: "NO_SUCH_JOB", reason: "Job nope does not exist" }],
  },
};
const UNASKED = (question: string) => ({
  code: 2,
  error: `${question} Nobody can be asked here: say --yes`,
});
const WHICH = "Which jobs? Say jids, or criteria such as --queue emails --state failed";

export const CHANGING: Rows = {
  cancel: [
    {
      does: "removes jobs",
      before: three,
      words: ["a", "b", "--yes"],
      json: DONE(2),
      after: statesAre({ a: undefined, b: undefined, c: "waiting" }),
    },
    {
      does: "removes what is found",
      before: three,
      words: ["--queue", "q", "--yes"],
      out: "3 jobs canceled\n",
      after: statesAre({ c: undefined }),
    },
    {
      does: "asks, and does nothing where nobody can answer",
      before: three,
      words: ["--queue", "q"],
      ...UNASKED("Cancel 3 jobs (queue q)?"),
      after: statesAre({ a: "waiting" }),
    },
    { does: "tells which it could not remove", words: ["nope", "--yes"], ...NOWHERE },
    {
      does: "tells of several and of one in their turn",
      before: three,
      words: ["a", "nope", "--yes"],
      code: 3,
      out: /^1 job canceled\n1 job left as it is:\n {2}nope: NO_SUCH_JOB, /,
    },
    { does: "needs to know which", code: 2, error: WHICH },
    {
      does: "takes jids or criteria",
      words: ["a", "--queue", "q"],
      code: 2,
      error: /and not both\n$/,
    },
  ],
  move: [
    {
      does: "moves jobs",
      before: three,
      words: ["p", "a"],
      out: "1 job moved to p\n",
      after: async (client) => expect((await client.get("a"))!.queue).toBe("p"),
    },
    {
      does: "moves what is found",
      before: three,
      words: ["p", "--klass", "k", "--yes"],
      json: DONE(3),
    },
    {
      does: "asks before it moves many",
      before: three,
      words: ["p", "--klass", "k"],
      ...UNASKED("Move 3 jobs (klass k)?"),
    },
    { does: "tells which it could not move", words: ["p", "nope"], ...NOWHERE },
  ],
  retry: [
    {
      does: "lets a failed job run again",
      before: (client) => run(client, "f", "g"),
      words: ["f"],
      json: DONE(1),
      after: statesAre({ f: "waiting" }),
    },
    {
      does: "lets those of a group run again",
      before: (client) => run(client, "f", "g"),
      words: ["--group", "g", "--yes"],
      out: "1 job put again\n",
    },
    { does: "tells which it could not", words: ["nope"], ...NOWHERE },
  ],
  priority: [
    {
      does: "changes priorities",
      before: three,
      words: ["-1.5", "a", "b"],
      json: DONE(2),
      after: async (client) => expect((await client.get("b"))!.priority).toBe(-1.5),
    },
    {
      does: "refuses what is no number",
      words: ["high", "a"],
      code: 2,
      error: 'The priority must be a number, not "high"',
    },
  ],
  tag: [
    {
      does: "adds tags",
      before: three,
      words: ["a", "--add", "x,y"],
      out: "1 job tagged\n",
      after: async (client) => expect((await client.get("a"))!.tags).toEqual(["x", "y"]),
    },
    {
      does: "removes tags of what is found",
      before: async (client) => client.queue("q").put("k", {}, { jid: "a", tags: ["x", "y"] }),
      words: ["--tag", "x", "--remove", "x", "--yes"],
      json: DONE(1),
      after: async (client) => expect((await client.get("a"))!.tags).toEqual(["y"]),
    },
    {
      does: "needs to know which tags",
      words: ["a"],
      code: 2,
      error: "Which tags? Say --add a,b or --remove a,b",
    },
    {
      does: "adds or removes",
      words: ["a", "--add", "x", "--remove", "x"],
      code: 2,
      error: "Use --add or --remove, not both",
    },
  ],
  unfail: [
    {
      does: "puts failed jobs into a queue",
      before: (client) => run(client, "f", "g"),
      words: ["g", "q", "--yes"],
      json: { found: 1, done: 1 },
      after: async (client) =>
        expect(await client.get("f")).toMatchObject({ state: "waiting", queue: "q" }),
    },
    {
      does: "asks first",
      before: (client) => run(client, "f", "g"),
      words: ["g", "q"],
      ...UNASKED("Put 1 job of group g into q?"),
      after: statesAre({ f: "failed" }),
    },
    {
      does: "has nothing to do for a group without jobs",
      words: ["none", "q"],
      out: "0 jobs put again\n",
    },
  ],
  timeout: [
    {
      does: "takes a job from its worker",
      before: (client) => run(client, "r"),
      words: ["r", "--yes"],
      json: { done: 1 },
      after: statesAre({ r: "stalled" }),
    },
    {
      does: "refuses a job that is not running",
      before: three,
      words: ["a", "--yes"],
      code: 3,
      error: /^qless: [^\n]*\ba\b[^\n]*running/,
    },
    { does: "asks first", words: ["a"], ...UNASKED("Take 1 job from the workers that run them?") },
  ],
  fail: [
    {
      does: "fails a running job in the place of its worker",
      before: (client) => run(client, "r"),
      words: ["r", "by-hand", "no more", "--yes"],
      json: { jid: "r", group: "by-hand" },
      after: async (client) => {
        const job = (await client.get("r"))!;
        expect(job.failure).toMatchObject({ group: "by-hand", message: "no more", worker: "w" });
      },
    },
    {
      does: "refuses a job that waits",
      before: three,
      words: ["a", "g", "m", "--yes"],
      code: 3,
      error: "Job a is waiting: only a running one can be failed: see move and cancel",
    },
    {
      does: "refuses a job that there is not",
      words: ["nope", "g", "m"],
      code: 3,
      error: /^qless: There is no job nope/,
    },
    {
      does: "refuses data that is not JSON",
      words: ["a", "g", "m", "--data", "{"],
      code: 2,
      error: /^qless: --data must be JSON/,
    },
  ],
  depends: [
    {
      does: "shows and changes what a job waits for",
      before: async (client, site) => {
        await three(client, site);
        await client.queue("q").put("k", {}, { jid: "d", depends: ["a"] });
      },
      words: ["d", "--on", "b,c"],
      json: {
        jid: "d",
        state: "depends",
        dependencies: expect.arrayContaining(["a", "b", "c"]),
        dependents: [],
      },
    },
    {
      does: "lets a job go",
      before: async (client, site) => {
        await three(client, site);
        await client.queue("q").put("k", {}, { jid: "d", depends: ["a"] });
      },
      words: ["d", "--off", "all"],
      out: "d is waiting\nwaits for: nothing\nawaited by: nothing\n",
    },
    {
      does: "refuses a job that does not depend",
      before: three,
      words: ["a", "--on", "b"],
      code: 3,
      error: /^qless: /,
    },
    {
      does: "changes one thing",
      words: ["a", "--on", "b", "--off", "c"],
      code: 2,
      error: "Use --on or --off, not both",
    },
  ],
  track: [
    {
      does: "tracks jobs",
      before: three,
      words: ["a", "b"],
      json: { found: 2, done: 2 },
      after: async (client) => expect((await client.get("a"))!.tracked).toBe(true),
    },
    {
      does: "lists tracked jobs",
      before: async (client, site) => {
        await three(client, site);
        await (await client.get("b"))!.track();
      },
      json: { jobs: [expect.objectContaining({ jid: "b" })], expired: [] },
    },
    {
      does: "ends it",
      before: async (client, site) => {
        await three(client, site);
        await (await client.get("b"))!.track();
      },
      words: ["b", "--off"],
      out: "1 job untracked\n",
    },
    {
      does: "refuses a job that there is not",
      words: ["nope"],
      code: 3,
      error: /^qless: Job nope does not exist/,
    },
    {
      does: "needs to know which to end",
      words: ["--off"],
      code: 2,
      error: "Which jobs? Say qless track <jids...> --off",
    },
  ],
  pause: [
    {
      does: "pauses queues, with reason and end",
      words: ["q", "p", "--reason", "deploy", "--for", "10m"],
      json: { paused: ["q", "p"] },
      after: async (client) =>
        expect(await client.queue("p").counts()).toMatchObject({
          paused: true,
          pausedReason: "deploy",
        }),
    },
    {
      does: "refuses two ends",
      words: ["q", "--for", "1m", "--until", "2031-01-31"],
      code: 2,
      error: "Say --for or --until, not both",
    },
    {
      does: "refuses an end that is no date",
      words: ["q", "--until", "later"],
      code: 2,
      error: /^qless: --until must be a date/,
    },
  ],
  unpause: [
    {
      does: "hands out jobs again",
      before: (client) => client.queue("q").pause(),
      words: ["q"],
      out: "Unpaused: q\n",
      after: async (client) => expect((await client.queue("q").counts()).paused).toBe(false),
    },
    { does: "needs a queue", code: 2, error: "missing required argument 'queues'" },
  ],
};
