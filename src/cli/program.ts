import { readFileSync } from "node:fs";
import { Command, CommanderError, Option } from "commander";
import { invalid } from "../client/times.ts";
import { QlessError } from "../engine.ts";
import { MODELS } from "../worker/children/options.ts";
import { LOG_FORMATS, LOG_LEVELS } from "../worker/config.ts";
import { firstLine } from "../worker/modules.ts";
import { nearest } from "../worker/nearest.ts";
import { demonstrate } from "./demonstration.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { addServe } from "./serve-verb.ts";
import type { WorkFlags } from "./settings.ts";
import { complain } from "./uncaught.ts";

/** Runs what the words say, and gives the code to exit with. Whatever happens is told in a sentence. */
export async function run(words: readonly string[]): Promise<number> {
  let code: number = EXIT.CLEAN;
  const program = root((result) => {
    code = result;
  });
  try {
    await program.parseAsync(words, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.CLEAN : EXIT.USAGE;
    complain(error instanceof QlessError ? error.message : firstLine(error));
    return exitCodeOf(error);
  }
}

function root(done: (code: number) => void): Command {
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  const program = new Command("qless")
    .description("A job queue. Without a verb: a demonstration, in an SQLite file or at a URL.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .argument("[url]", "where to show the demonstration")
    .exitOverride()
    .configureOutput({ outputError: (text) => complain(text.replace(/^error: /, "")) })
    .action((url?: string) => demonstrate(checkedVerb(program, url)));
  addWork(program, done);
  addServe(program, done);
  return program;
}

/** What is no URL was meant to be a verb. */
function checkedVerb(program: Command, word: string | undefined): string | undefined {
  if (word === undefined || /^[a-z]+:/.test(word)) return word;
  const verbs = [...program.commands.map((command) => command.name()), "help"];
  const meant = nearest(word, verbs);
  const hint = meant === undefined ? `there are ${verbs.join(", ")}` : `did you mean ${meant}?`;
  throw invalid(`There is no verb ${JSON.stringify(word)}: ${hint}`);
}

const EXAMPLES = `
Examples:
  qless work --queues emails --jobs ./jobs
  qless work --queues high,low --order weighted --weights high=3,low=1
  qless work --queues images --model processes --children 4 --max-memory 500
  QLESS_URL=redis://:secret@redis.example.com qless work --config deploy/qless.config.js

Signals: TERM and INT stop, a second one at once; QUIT ends when the running jobs have;
USR2 pauses, CONT resumes. A config file is qless.config.{ts,mts,js,mjs,json}. Flags go before
QLESS_URL, QLESS_NAMESPACE, QLESS_QUEUES and QLESS_CONCURRENCY, and these before the file.`;

function addWork(program: Command, done: (code: number) => void): void {
  program
    .command("work")
    .description("Take jobs from queues and run them with the handlers of a folder.")
    .option("--url <url>", "where the queues are (sqlite:./qless.db); say a password by QLESS_URL")
    .option("--namespace <name>", "what every key begins with (ql)")
    .option("--config <file>", "a config file (qless.config.* in this folder)")
    .option("--queues <a,b>", "the queues to take jobs from")
    .option("--jobs <path>", "the folder of jobs, or one module (./jobs)")
    .option("--concurrency <n>", "how many jobs run at a time, here or in each child (10)")
    .addOption(new Option("--model <model>", "where handlers run (coroutines)").choices(MODELS))
    .option("--children <n>", "how many processes or threads (as many as there are cores)")
    .option("--max-jobs <n>", "replace a child after so many jobs")
    .option("--max-memory <mb>", "replace a child that holds more megabytes")
    .option("--env <A,B_*>", "variables of the environment that children see besides the usual")
    .addOption(
      new Option("--order <order>", "from which of several queues to take next (ordered)").choices([
        "ordered",
        "round-robin",
        "weighted",
      ]),
    )
    .option("--weights <a=3,b=1>", "shares of the queues, for the order weighted")
    .option("--grace <time>", "how long a stop lets jobs run on (25s)")
    .option("--name <name>", "the worker's name (one that no other has)")
    .addOption(new Option("--log-level <level>", "how much to log (info)").choices(LOG_LEVELS))
    .addOption(
      new Option("--log-format <format>", "pretty on a terminal, else json").choices(LOG_FORMATS),
    )
    .addHelpText("after", EXAMPLES)
    .action(async (flags: WorkFlags) => {
      const { work } = await import("./work.ts");
      done(await work(flags));
    });
}
