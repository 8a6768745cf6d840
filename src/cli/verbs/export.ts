import { once } from "node:events";
import { closeSync, existsSync, openSync, writeSync } from "node:fs";
import { invalid } from "../../client/times.ts";
import { endLine, headingLine, slicesOf } from "../carrying.ts";
import { EXIT } from "../exit-codes.ts";
import { plain } from "../plain.ts";
import { type Verb, YES } from "../verb.ts";

export const exportVerb: Verb = {
  name: "export",
  about: "Write a whole namespace as lines of JSON, for import here or elsewhere.",
  words: [{ word: "[file]", about: "where to (the standard output)" }],
  flags: [YES],
  examples: [
    "qless export jobs.jsonl --url sqlite:./jobs.db",
    "qless export --url sqlite:./jobs.db | qless import --url redis://redis.example.com",
  ],
  notes: `Stop workers first: what changes meanwhile may be written as it was or as it is. Carried are
jobs in all states with their history, queues, settings, schedules, unique keys, tags, tracking and
statistics. With a file, --json tells how many entries it has.`,
  at: "queues",
  async run(desk) {
    const [file] = desk.words;
    if (file !== undefined && existsSync(file)) {
      if (!(await desk.isSure(`Write over ${file}?`))) return EXIT.DECLINED;
    }
    const calls = await desk.calls();
    const { write, close } = file === undefined ? standardOutput : toFile(file);
    const progress = desk.progress("Exporting");
    let entries = 0;
    try {
      await write(headingLine(calls.engine.namespace));
      for await (const slice of slicesOf(calls)) {
        await write(slice.map((entry) => JSON.stringify(entry)).join("\n"));
        entries += slice.length;
        progress.at(entries);
      }
      await write(endLine(entries));
    } finally {
      close();
      progress.end();
    }
    if (file !== undefined) {
      desk.out.show({ file, entries }, () => [plain(`${entries} entries in ${file}`)]);
    }
    return undefined;
  },
};

interface Sink {
  /** Resolves when there is room for more, so that no more than a slice is kept in memory. */
  write(lines: string): Promise<void>;
  close(): void;
}

const standardOutput: Sink = {
  async write(lines) {
    const isSeen = process.stdout.isTTY === true;
    const shown = isSeen ? lines.split("\n").map(plain).join("\n") : lines;
    if (!process.stdout.write(`${shown}\n`)) await once(process.stdout, "drain");
  },
  close() {},
};

/** Jobs may hold secrets, so that a new file is its owner's alone. */
function toFile(file: string): Sink {
  const opened = () => {
    try {
      return openSync(file, "w", 0o600);
    } catch (error) {
      throw invalid(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
    }
  };
  const handle = opened();
  return {
    async write(lines) {
      let rest = Buffer.from(`${lines}\n`);
      while (rest.length > 0) rest = rest.subarray(writeSync(handle, rest));
    },
    close: () => closeSync(handle),
  };
}
