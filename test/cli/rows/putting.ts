import { expect } from "vitest";
import type { Rows } from "./row.ts";

export const PUTTING: Rows = {
  put: [
    {
      does: "puts a job and tells its jid",
      words: ["q", "k", '{"a":1.0}', "--jid", "a", "--priority", "-5", "--tags", "x,y"],
      out: /^a\n$/,
      after: async (client) => {
        const job = (await client.get("a"))!;
        expect(job).toMatchObject({ rawData: '{"a":1.0}', priority: -5, tags: ["x", "y"] });
      },
    },
    {
      does: "has no data unless some is given",
      words: ["q", "k", "--jid", "a"],
      json: { jid: "a", outcome: "created" },
    },
    {
      does: "takes data from the standard input",
      words: ["q", "k", "-", "--jid", "a", "--delay", "1h", "--retries", "2"],
      input: '{ "a": 1 }\n',
      after: async (client) => {
        const job = (await client.get("a"))!;
        expect(job).toMatchObject({ rawData: '{ "a": 1 }', state: "scheduled", retries: 2 });
      },
    },
    {
      does: "takes data from a file",
      words: ["q", "k", "@data.json", "--jid", "a", "--at", "2031-01-31T06:00:00Z"],
      files: { "data.json": "[1]" },
      after: async (client) => expect((await client.get("a"))!.rawData).toBe("[1]"),
    },
    {
      does: "puts no second job with a key",
      before: (client) => client.queue("q").put("k", {}, { jid: "first", unique: "key" }),
      words: ["q", "k", "--unique", "key"],
      json: { jid: "first", outcome: "kept" },
    },
    {
      does: "says that another job holds the key",
      before: (client) => client.queue("q").put("k", {}, { jid: "first", unique: "key" }),
      words: ["q", "k", "--unique", "key"],
      out: /^first \(kept: it holds the key\)\n$/,
    },
    {
      does: "keeps a job whose jid exists, and says so",
      before: (client) => client.queue("q").put("k", 1, { jid: "a" }),
      words: ["q", "k", "2", "--jid", "a", "--priority", "3"],
      out: /^a \(kept: it exists\)\n$/,
      after: async (client) => {
        expect(await client.get("a")).toMatchObject({ data: 1, priority: 0 });
      },
    },
    {
      does: "says in JSON that it kept the job",
      before: (client) => client.queue("q").put("k", 1, { jid: "a" }),
      words: ["q", "k", "2", "--jid", "a", "--if-exists", "keep"],
      json: { jid: "a", outcome: "kept" },
    },
    {
      does: "replaces a job whose jid exists",
      before: (client) => client.queue("q").put("k", 1, { jid: "a" }),
      words: ["q", "k", "2", "--jid", "a", "--if-exists", "replace"],
      out: /^a \(replaced\)\n$/,
      after: async (client) => expect((await client.get("a"))!.data).toBe(2),
    },
    {
      does: "refuses a job whose jid exists",
      before: (client) => client.queue("q").put("k", 1, { jid: "a" }),
      words: ["q", "k", "2", "--jid", "a", "--if-exists", "refuse"],
      code: 3,
      error: /^qless: Job a exists already: use another jid/,
      after: async (client) => expect((await client.get("a"))!.data).toBe(1),
    },
    {
      does: "refuses jids for lines",
      words: ["q", "k", "-", "--lines", "--if-exists", "keep"],
      input: "1",
      code: 2,
      error: /^qless: --jid and --if-exists are for one job: omit them with --lines/,
    },
    {
      does: "counts the lines whose key is held",
      before: (client) => client.queue("q").put("k", {}, { jid: "first", unique: "key" }),
      words: ["q", "k", "-", "--lines", "--unique", "key", "--conflict", "data"],
      input: "1\n2\n",
      json: { put: 0, changed: 2, kept: 0, refused: 0 },
    },
    {
      does: "puts a job for each line",
      words: ["q", "k", "-", "--lines", "--tags", "t"],
      input: '{"i":1}\n\n{"i":2}\r\n[3]',
      json: { put: 3, changed: 0, kept: 0, refused: 0 },
      after: async (client) => {
        const data = (await client.queue("q").peek(9)).map(({ rawData }) => rawData);
        expect(data).toEqual(['{"i":1}', '{"i":2}', "[3]"]);
      },
    },
    {
      does: "puts nothing of a file with a bad line",
      words: ["q", "k", "@lines", "--lines"],
      files: { lines: '{"i":1}\n{"i":\n' },
      code: 2,
      error: /^qless: Line 2 is not JSON \(.*\); nothing was put/,
      after: async (client) => expect(await client.queue("q").length()).toBe(0),
    },
    {
      does: "says which line is bad, and what was put before",
      words: ["q", "k", "-", "--lines"],
      input: `${'{"i":1}\n'.repeat(501)}x\n`,
      code: 2,
      error: /^qless: Line 502 is not JSON \(.*\); 501 jobs before it are put/,
      after: async (client) => expect(await client.queue("q").length()).toBe(501),
    },
    {
      does: "refuses data that is not JSON",
      words: ["q", "k", "{a"],
      code: 2,
      error: /^qless: Data must be JSON /,
    },
    {
      does: "refuses a file that there is not",
      words: ["q", "k", "@none"],
      code: 2,
      error: "none cannot be read: ENOENT",
    },
    {
      does: "refuses a time without a unit",
      words: ["q", "k", "--delay", "5"],
      code: 2,
      error: "--delay needs a unit: 5s or 5ms",
    },
    {
      does: "refuses half a key",
      words: ["q", "k", "--until", "start"],
      code: 2,
      error: /^qless: --until, --for and --conflict are about a key/,
    },
    {
      does: "refuses delay and moment",
      words: ["q", "k", "--delay", "5s", "--at", "2031-01-31"],
      code: 2,
      error: "Use delay or at, not both",
    },
    {
      does: "refuses a queue that cannot be",
      words: ["q\u0007", "k"],
      code: 2,
      error: /^qless: Arg "queue" must be 1 to 255 bytes/,
    },
    {
      does: "refuses a queue that cannot be, for lines",
      words: ["q\u0007", "k", "-", "--lines"],
      input: "1\n2\n",
      code: 2,
      error: /^qless: Arg "queue"/,
    },
  ],
};
