import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { VERBS } from "../../src/cli/verbs/index.ts";
import { connect } from "../../src/connect.ts";
import { freePort, startRedis } from "../redis-server.ts";
import { folderOf, type StartOptions, start } from "./support.ts";

const VERBS_ALONE = new Set(VERBS.map(({ name }) => name.split(" ", 1)[0]!));
const JOBS = { "jobs/k.mjs": "export default () => 1;" };

/** Expects it to end with a code and one sentence, and to have said nothing else. */
async function expectEnd(words: string[], code: number, sentence: string, options?: StartOptions) {
  const ended = start(words, { cwd: folderOf(JOBS), ...options });
  expect(await ended.code()).toBe(code);
  expect(ended.stderr).toBe(`qless: ${sentence}\n`);
  expect(ended.stdout).toBe("");
}

describe("what is typed wrong", () => {
  test.each([
    ["wrok", 'There is no verb "wrok": did you mean work?'],
    ["banana", `There is no verb "banana": there are ${[...VERBS_ALONE].join(", ")}, help`],
    ["ls", `There is no verb "ls": there are ${[...VERBS_ALONE].join(", ")}, help`],
    ["recur ls", 'There is no verb "recur ls": did you mean recur list?'],
    ["recur puut", 'There is no verb "recur puut": did you mean recur put?'],
    ["--verzion", "unknown option '--verzion' (Did you mean --version?)"],
    ["work --queus a", "unknown option '--queus' (Did you mean --queues?)"],
    ["put --prio 5 a b", "unknown option '--prio' (Did you mean --priority?)"],
    ["work --queues", "option '--queues <a,b>' argument missing"],
    ["work", "Which queues? Say --queues a,b, or QLESS_QUEUES, or queues in the config file"],
    ["work --queues a,", "--queues must be names with commas between them, such as a,b"],
    ["work --queues a --concurrency many", '--concurrency must be a whole number, not "many"'],
    ["work --queues a --concurrency 0", "concurrency must be a whole number from 1 to 10000"],
    ["work --queues a\u0007", "queues must be names of 1 to 255 bytes without control characters"],
    [
      "work --queues a --name x\u0007",
      "name must be a text of 1 to 255 bytes without control characters",
    ],
    ["work --queues a --jobs ", "--jobs says nothing: leave it out, or give it a value"],
    ["work --queues a --grace 30", "--grace needs a unit: 30s or 30ms"],
    ["work --queues a,b --weights a", '--weights must be such as a=3,b=1, not "a"'],
    ["work --queues a,b --weights c=1", "There is a weight for c, which is no queue"],
    ["work --queues a,b --weights a=0", "The weight of a must be a whole number from 1 to 100000"],
    [
      "work --queues a --order sideways",
      "option '--order <order>' argument 'sideways' is invalid. " +
        "Allowed choices are ordered, round-robin, weighted.",
    ],
    [
      "work --queues a --url mysql://user:secret@host",
      "This is not the URL of a queue; use sqlite:<file>, redis://<host> or rediss://<host>",
    ],
    ["work --queues a --config none.json", "There is no config file none.json"],
    ["work --queues a\u001b[31m,", "--queues must be names with commas between them, such as a,b"],
    ["work --\u001b[31m", "unknown option '--\\u001b[31m'"],
  ])("is told in a sentence: %s", async (typed, sentence) => {
    await expectEnd(typed.split(" "), EXIT.USAGE, sentence);
  });

  test("is helped with examples", async () => {
    const help = start(["work", "--help"]);
    expect(await help.code()).toBe(0);
    expect(help.stdout).toContain("qless work --queues emails --jobs ./jobs");
  });
});

describe("jobs that cannot be loaded", () => {
  const words = ["work", "--queues", "q"];

  test("are told when there is no such folder, or nothing in it", async () => {
    const nowhere = "There is no ./jobs: jobs must be a folder of modules, or one module";
    await expectEnd(words, EXIT.USAGE, nowhere, { cwd: folderOf() });
    const empty = "There are no jobs in ./jobs: it has no .js, .mjs, .cjs, .ts or .mts file";
    await expectEnd(words, EXIT.USAGE, empty, { cwd: folderOf({ "jobs/notes.md": "" }) });
  });

  test("are told with file and error, and with the stack to those who debug", async () => {
    const cwd = folderOf({ "jobs/k.mjs": 'throw new Error("no good")' });
    const sentence = "jobs/k.mjs could not be loaded: Error: no good";
    await expectEnd(words, EXIT.FAILED, sentence, { cwd });
    const debugged = start([...words, "--log-level", "debug"], { cwd });
    expect(await debugged.code()).toBe(EXIT.FAILED);
    expect(debugged.stderr).toBe(`qless: ${sentence}\n`);
    const { err } = debugged.said("It could not start") as unknown as { err: Error };
    expect(err.stack).toContain("no good\n    at file:");
  });

  test("are told without a stack when they break down later", async () => {
    const late = 'setImmediate(() => { throw new Error("late") }); export default () => 1;';
    const rest = "await new Promise((resolve) => setTimeout(resolve, 5000));";
    const cwd = folderOf({ "jobs/k.mjs": late + rest });
    await expectEnd(words, EXIT.FAILED, "Error: late", { cwd });
  });

  test("are told when they cannot be parsed", async () => {
    const cwd = folderOf({ "jobs/k.mjs": "export default (" });
    const sentence = "jobs/k.mjs could not be loaded: SyntaxError: Unexpected end of input";
    await expectEnd(words, EXIT.FAILED, sentence, { cwd });
  });
});

describe("an engine", () => {
  test("that cannot be reached ends it after the deadline, with a sentence", async () => {
    const port = await freePort();
    const env = { QLESS_URL: `redis://me:secret@127.0.0.1:${port}` };
    const begun = performance.now();
    const sentence =
      `No connection to Redis at 127.0.0.1:${port} within 10000 ms (connect ECONNREFUSED ` +
      `127.0.0.1:${port}): is it running, and is the address right?`;
    await expectEnd(["work", "--queues", "q"], EXIT.FAILED, sentence, { env });
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  test("whose file cannot be opened ends it with a sentence", async () => {
    const words = ["work", "--queues", "q", "--url", "sqlite:./none/q.db"];
    const ended = start(words, { cwd: folderOf(JOBS) });
    expect(await ended.code()).toBe(EXIT.FAILED);
    expect(ended.stderr).toMatch(/^qless: [^\n]+\n$/);
    expect(ended.stderr).not.toContain("    at ");
  });

  test("that goes away does not keep it from stopping", async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const client = await connect(server.url, { onWarning: () => {} });
    onTestFinished(() => client.close());
    const { jid } = await client.queue("q").put("k", {});
    const cwd = folderOf({ "jobs/k.mjs": "export default () => new Promise(() => {});" });
    const words = ["work", "--queues", "q", "--url", server.url, "--grace", "100ms"];
    const worker = start(words, { cwd });
    const state = async () => (await client.get(jid))?.state;
    await expect.poll(state, { timeout: 20_000 }).toBe("running");
    await server.stop();
    const begun = performance.now();
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(EXIT.FAILED);
    expect(performance.now() - begun).toBeLessThan(9000);
    expect(worker.said("Stopped")).toMatchObject({ left: [jid], code: EXIT.FAILED });
    expect(worker.stderr).toBe("");
  });

  test("never has its password shown", async () => {
    const server = await startRedis({ args: ["--requirepass", "geheim"] });
    onTestFinished(() => server.stop());
    const at = (password: string) => `redis://:${password}@127.0.0.1:${server.port}/1?x=geheim`;
    const words = ["work", "--queues", "q", "--log-level", "debug", "--grace", "1s"];
    const cwd = folderOf(JOBS);
    const client = await connect(at("geheim"), { onWarning: () => {} });
    onTestFinished(() => client.close());
    await client.queue("q").put("k", {});
    const worker = start(words, { cwd, env: { QLESS_URL: at("geheim") } });
    await worker.until("Job complete");
    const engine = `redis://127.0.0.1:${server.port}/1`;
    expect(worker.said("Working")).toMatchObject({ engine });
    await server.stop();
    await worker.until("The engine does not answer");
    worker.signal("SIGTERM");
    await worker.code();
    const wrong = await startRedis({ args: ["--requirepass", "other"], port: server.port });
    onTestFinished(() => wrong.stop());
    const refused = start(words, { cwd, env: { QLESS_URL: at("geheim") } });
    expect(await refused.code()).toBe(EXIT.FAILED);
    const malformed = start(words, { cwd, env: { QLESS_URL: "redis://:geheim@host:port" } });
    expect(await malformed.code()).toBe(EXIT.USAGE);
    for (const { stdout, stderr } of [worker, refused, malformed]) {
      expect(stdout + stderr).not.toContain("geheim");
    }
    expect(refused.stderr).toMatch(/^qless: Redis does not accept this user and password[^\n]+\n$/);
    expect(malformed.stderr).toMatch(/^qless: The URL is not redis:[^\n]+\n$/);
  }, 60_000);
});

describe("the log", () => {
  /** A job whose klass, data and error would like to write to the terminal. */
  const nasty = {
    "jobs/k.mjs": `export default (job, { log }) => {
      log.info({ said: "a\\u001b]0;title\\u0007\\r\\nb\\u009b\\u202e" }, "x\\u001b[2J\\ny");
      throw new Error("e\\u001b[31m\\ntwo\\u0000");
    };
    export const options = { retries: 0 };`,
  };

  async function logged(...words: string[]): Promise<string> {
    const cwd = folderOf(nasty);
    const url = `sqlite:${join(cwd, "q.db")}`;
    const client = await connect(url);
    onTestFinished(() => client.close());
    const { jid } = await client.queue("q").put("k", {});
    const worker = start(["work", "--queues", "q", "--url", url, ...words], { cwd });
    const state = async () => (await client.get(jid))?.state;
    await expect.poll(state, { timeout: 20_000 }).toBe("failed");
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(0);
    expect(worker.stderr).toBe("");
    return worker.stdout;
  }

  test("is JSON where it is no terminal, a line for each event", async () => {
    const lines = (await logged()).trimEnd().split("\n");
    const read = lines.map((line) => JSON.parse(line));
    const sentences = ["Working", "x\u001b[2J\ny", "Job failed", "Stopping; running", "Stopped"];
    for (const sentence of sentences) {
      expect(read.filter(({ msg }) => msg.startsWith(sentence))).toHaveLength(1);
    }
    for (const { level, time, worker } of read) {
      expect(["info", "error"]).toContain(level);
      expect(new Date(time).toISOString()).toBe(time);
      expect(worker).toBe(read[0].worker);
    }
  });

  test.each(["info", "debug"])(
    "is lines for people, without control characters (%s)",
    async (level) => {
      const text = await logged("--log-format", "pretty", "--log-level", level);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      const lines = text.trimEnd().split("\n");
      const line = /^\d\d:\d\d:\d\d\.\d{3} (DEBUG|INFO |WARN |ERROR) \S/;
      for (const one of lines) expect(one).toMatch(level === "debug" ? /^( {4}|\d)/ : line);
      expect(text).toMatch(
        / INFO {2}Working {2}name=\S+ queues=q klasses=k concurrency=10 engine=/,
      );
      expect(text).toMatch(/ INFO {2}x\\u001b\[2J\\u000ay {2}jid=\S+ klass=k said="a/);
      expect(text.includes("    at ")).toBe(level === "debug");
    },
  );

  test("says less at a higher level, and nothing when silent", async () => {
    const lines = (await logged("--log-level", "error")).trimEnd().split("\n");
    expect(lines.map((one) => JSON.parse(one).msg)).toEqual(["Job failed"]);
    expect(await logged("--log-level", "silent")).toBe("");
  });
});
