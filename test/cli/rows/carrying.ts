import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Row, Rows } from "./row.ts";

const one: NonNullable<Row["before"]> = (client) => client.queue("q").put("k", {}, { jid: "a" });
const HEADING = '{"qless":"export","form":1,"namespace":"x","at":"2031-01-31T00:00:00.000Z"}';
const NO_EXPORT = "This is no export of qless: its first line must be that of qless export";

export const CARRYING: Rows = {
  export: [
    {
      does: "writes lines of JSON",
      before: one,
      out: /^\{"qless":"export","form":1,[\s\S]*\n\{"key":"j:a","record":\[[\s\S]*\n\{"end":true,"entries":\d+\}\n$/,
    },
    {
      does: "writes a file that is its owner's alone",
      before: one,
      words: ["x.jsonl"],
      json: { file: "x.jsonl", entries: expect.any(Number) },
      after: async (_, { folder }) => {
        expect(statSync(join(folder, "x.jsonl")).mode & 0o777).toBe(0o600);
        expect(readFileSync(join(folder, "x.jsonl"), "utf8")).toContain('"key":"j:a"');
      },
    },
    {
      does: "asks before it writes over a file",
      files: { "x.jsonl": "" },
      words: ["x.jsonl"],
      code: 2,
      error: "Write over x.jsonl? Nobody can be asked here: say --yes",
    },
    {
      does: "says that it cannot write",
      words: ["none/x.jsonl"],
      code: 2,
      error: "none/x.jsonl cannot be written: ENOENT",
    },
  ],
  import: [
    {
      does: "brings in what export wrote",
      input: `${HEADING}\n{"key":"config","record":["heartbeat","90"]}\n{"end":true,"entries":1}\n`,
      json: { entries: 1, jobs: 0, released: 0, problems: 0 },
      after: async (client) => expect(await client.config.get("heartbeat")).toBe("90"),
    },
    {
      does: "needs an empty namespace",
      before: one,
      input: "",
      code: 2,
      error: /^qless: The namespace \S+ is not empty: say another with --namespace, or --over /,
    },
    { does: "refuses what is no export", input: '{"a":1}\n', code: 2, error: NO_EXPORT },
    { does: "refuses nothing at all", input: "", code: 2, error: NO_EXPORT },
    {
      does: "refuses a form that it does not know",
      input: '{"qless":"export","form":9}\n',
      code: 2,
      error: "The export has form 9, and this qless reads form 1: update it",
    },
    {
      does: "refuses a file that was cut off, and changes nothing",
      files: { x: `${HEADING}\n{"key":"config","record":["heartbeat","90"]}\n` },
      words: ["x"],
      code: 2,
      error: /^qless: The export ends in the middle/,
      after: async (client) => expect(await client.config.get("heartbeat")).toBe("60"),
    },
    {
      does: "refuses a line that is no entry",
      files: { x: `${HEADING}\n{"key":"config"}\n` },
      words: ["x"],
      code: 2,
      error: "Line 2 is not an entry of an export",
    },
    {
      does: "refuses keys of others",
      files: {
        x: `${HEADING}\n{"key":"request:1","record":["a","b"]}\n{"end":true,"entries":1}\n`,
      },
      words: ["x"],
      code: 2,
      error: "No record is kept as request:1",
    },
    {
      does: "refuses a file that there is not",
      words: ["none"],
      code: 2,
      error: "none cannot be read: ENOENT",
    },
  ],
};
