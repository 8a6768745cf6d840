import { expect } from "vitest";
import type { Row, Rows } from "./row.ts";

/** A job with something of everything, whose data would like to write to the terminal. */
const NASTY = '{"to":"a\\u001b[2J","n":12345678901234567890}';

const nasty: Row["before"] = (client) =>
  client.engine.call("put", ["me", "q", "a", "k", NASTY, 0, "tags", '["x","y"]', "priority", 3]);

const three: Row["before"] = async (client) => {
  for (const jid of ["a", "b", "c"]) await client.queue("q").put("k", { jid }, { jid });
  await client.queue("later").put("other", {}, { jid: "d", delay: "1h", tags: ["t"] });
};

const NOT_THERE = { code: 3, error: "There is no job nope: see qless search --like nope" };
const UNCOUNTED = { code: 2, error: '--count must be a whole number, not "x"' };

const jidsAre = (...jids: string[]) => jids.map((jid) => expect.objectContaining({ jid }));

export const LOOKING: Rows = {
  get: [
    {
      does: "shows a job, and obeys nothing in its data",
      before: nasty,
      words: ["a"],
      out: /^jid {11}a\nklass {9}k\n[\s\S]*tags {10}x, y\n[\s\S]*data\n {2}\{\n {4}"to": "a\\u001b\[2J",\n {4}"n": 12345678901234567890\n {2}\}\n[\s\S]* put {3}q=q\n$/,
    },
    {
      does: "shows a stack by its lines, and the first failure beside the last",
      before: async (client) => {
        await client.queue("q").put("k", {}, { jid: "a" });
        const [first] = await client.queue("q").pop({ worker: "w" });
        await first!.retry({ group: "smtp", message: "no route\n  at one" });
        const [last] = await client.queue("q").pop({ worker: "w" });
        await last!.fail("late", "too\u001b late\n  at two\n");
      },
      words: ["a"],
      out: /\nfailed {8}late: too\\u001b late\n[\s\S]*\nfailed first {2}smtp: no route\n\nfailure\n {2}too\\u001b late\n {4}at two\n\ndata\n/,
    },
    {
      does: "shows no retries where less than none are left",
      before: async (client) => {
        await client.queue("q").put("k", {}, { jid: "a", retries: 0 });
        const [job] = await client.queue("q").pop({ worker: "w" });
        await job!.retry({ group: "smtp", message: "no route" });
      },
      words: ["a"],
      out: /\nstate {9}failed\n[\s\S]*\nretries left {2}0 of 0\n/,
    },
    {
      does: "tells a job as the protocol does",
      before: nasty,
      words: ["a"],
      json: expect.objectContaining({ jid: "a", state: "waiting", data: NASTY, priority: 3 }),
    },
    { does: "prints data byte for byte", before: nasty, words: ["a", "--data"], out: `${NASTY}\n` },
    { does: "says that there is no such job", words: ["nope"], ...NOT_THERE },
    { does: "needs a jid", code: 2, error: "missing required argument 'jid'" },
    {
      does: "takes one jid",
      words: ["a", "b"],
      code: 2,
      error: /^qless: too many arguments for 'get'. Expected 1 argument but got 2/,
    },
  ],
  peek: [
    {
      does: "shows the next jobs",
      before: three,
      words: ["q", "--count", "2"],
      json: jidsAre("a", "b"),
    },
    {
      does: "shows a table",
      before: three,
      words: ["q"],
      out: /^JID {2}KLASS .*\na {4}k .*waiting.*\{"jid":"a"\}\n/,
    },
    { does: "says that there is none", words: ["nothing"], out: "No jobs.\n" },
    { does: "refuses a count that is none", words: ["q", "--count", "x"], ...UNCOUNTED },
  ],
  queues: [
    { does: "says that there are none", out: "No queues.\n" },
    {
      does: "counts jobs by state, with a pause and its reason",
      before: async (client, site) => {
        await three(client, site);
        await client.queue("q").pause({ reason: "why\u001b" });
      },
      // Seen in one millisecond, they come by their names.
      out: /^QUEUE +WAITING (?=[\s\S]*\nq +3 .*why\\u001b\n)(?=[\s\S]*\nlater +0 .*1)/,
    },
    {
      does: "refuses a queue that there is not",
      before: three,
      words: ["nope"],
      ...{ code: 3, error: "There is no queue nope: see qless queues" },
    },
    {
      does: "knows a queue of which all jobs are complete",
      before: async (client) => {
        await client.queue("done").put("k", {}, { jid: "a" });
        const [job] = await client.queue("done").pop({ worker: "w" });
        await job!.complete();
      },
      words: ["done"],
      json: [expect.objectContaining({ name: "done", waiting: 0, running: 0 })],
    },
    {
      does: "knows a queue that is paused before its first job",
      before: (client) => client.queue("new").pause(),
      words: ["new"],
      json: [expect.objectContaining({ name: "new", paused: true })],
    },
    {
      does: "tells one queue as JSON",
      before: three,
      words: ["later"],
      json: [expect.objectContaining({ name: "later", scheduled: 1, paused: false })],
    },
    { does: "refuses a count that is none", words: ["--count", "x"], ...UNCOUNTED },
  ],
  jobs: [
    {
      does: "lists jobs of a state",
      before: three,
      words: ["waiting", "q", "--offset", "1"],
      json: jidsAre("b", "c"),
    },
    { does: "lists completed jobs", words: ["complete"], out: "No jobs.\n" },
    {
      does: "says where failed jobs are",
      words: ["failed"],
      code: 2,
      error: "Failed jobs are listed by group: see qless failed",
    },
    {
      does: "refuses a state that there is not",
      words: ["wating", "q"],
      code: 2,
      error: /^qless: There is no state "wating": there are waiting, /,
    },
    { does: "needs a queue", words: ["waiting"], code: 2, error: /^qless: Which queue\? / },
    {
      does: "needs none for complete",
      words: ["complete", "q"],
      code: 2,
      error: /^qless: Completed jobs /,
    },
  ],
  search: [
    {
      does: "finds by criteria",
      before: three,
      words: ["--tag", "t", "--state", "scheduled"],
      json: jidsAre("d"),
    },
    {
      does: "prints jids alone",
      before: three,
      words: ["--queue", "q", "--order", "oldest", "--jids"],
      out: /^a\nb\nc\n$/,
    },
    {
      does: "counts",
      before: three,
      words: ["--count", "1", "--jids", "--like", "b"],
      out: /^b\n$/,
    },
    {
      does: "finds by time",
      before: three,
      words: ["--from", "1h", "--queue", "q", "--jids", "--all"],
      out: /^c\nb\na\n$/,
    },
    { does: "finds nothing", words: ["--klass", "none"], json: [] },
    {
      does: "refuses a state that there is not",
      words: ["--state", "x"],
      code: 2,
      error: /^qless: option '--state <state>' argument 'x' is invalid/,
    },
    {
      does: "refuses a date that is none",
      words: ["--from", "yesterday"],
      code: 2,
      error: /^qless: --from must be a date and time such as /,
    },
    {
      does: "refuses a flag that says nothing",
      words: ["--queue", ""],
      code: 2,
      error: "--queue says nothing: leave it out, or give it a value",
    },
  ],
  explain: [
    {
      does: "tells why a job is not running",
      before: three,
      words: ["d"],
      out: /^d is scheduled in later\.\n- It is due .*\n- No worker has ever asked/,
    },
    {
      does: "counts one as one",
      before: async (client) => {
        await client.queue("q").put("k", {}, { jid: "first" });
        await client.queue("q").put("k", {}, { jid: "second" });
        await client.queue("q").put("k", {}, { jid: "third", depends: ["first"] });
      },
      words: ["third"],
      out: /\n- It waits for 1 job: first\.\n/,
    },
    {
      does: "tells it as JSON, times in seconds",
      before: three,
      words: ["d"],
      json: {
        jid: "d",
        state: "scheduled",
        queue: "later",
        reasons: [{ reason: "scheduled", until: expect.any(Number) }, { reason: "not-asked" }],
      },
    },
    {
      does: "says that there is no such job",
      words: ["nope"],
      code: 3,
      error: /^qless: Job nope does not exist/,
    },
  ],
};
