import { MODELS } from "../../worker/children/options.ts";
import { LOG_FORMATS, LOG_LEVELS } from "../../worker/config.ts";
import type { WorkFlags } from "../settings.ts";
import { PLACE_FLAGS, type Verb } from "../verb.ts";

const NOTES = `Signals: TERM and INT stop, a second one at once; QUIT ends when the running jobs have;
USR2 pauses, CONT resumes. A config file is qless.config.{ts,mts,js,mjs,json}. Flags go before
QLESS_URL, QLESS_NAMESPACE, QLESS_QUEUES and QLESS_CONCURRENCY, and these before the file.`;

export const work: Verb = {
  name: "work",
  about: "Take jobs from queues and run them with the handlers of a folder.",
  flags: [
    // Its output is a log, whose form is a flag of its own; and a config file may say where.
    ...PLACE_FLAGS.filter(({ flag }) => flag !== "--json"),
    { flag: "--config <file>", about: "a config file (qless.config.* in this folder)" },
    { flag: "--queues <a,b>", about: "the queues to take jobs from" },
    { flag: "--jobs <path>", about: "the folder of jobs, or one module (./jobs)" },
    {
      flag: "--concurrency <n>",
      about: "how many jobs run at a time, here or in each child (10)",
    },
    { flag: "--model <model>", about: "where handlers run (coroutines)", choices: MODELS },
    {
      flag: "--children <n>",
      about: "how many processes or threads (as many as there are cores)",
    },
    { flag: "--max-jobs <n>", about: "replace a child after so many jobs" },
    { flag: "--max-memory <mb>", about: "replace a child that holds more megabytes" },
    {
      flag: "--env <A,B_*>",
      about: "variables of the environment that children see besides the usual",
    },
    {
      flag: "--order <order>",
      about: "from which of several queues to take next (ordered)",
      choices: ["ordered", "round-robin", "weighted"],
    },
    { flag: "--weights <a=3,b=1>", about: "shares of the queues, for the order weighted" },
    { flag: "--grace <time>", about: "how long a stop lets jobs run on (25s)" },
    { flag: "--name <name>", about: "the worker's name (one that no other has)" },
    { flag: "--log-level <level>", about: "how much to log (info)", choices: LOG_LEVELS },
    {
      flag: "--log-format <format>",
      about: "pretty on a terminal, else json",
      choices: LOG_FORMATS,
    },
  ],
  examples: [
    "qless work --queues emails --jobs ./jobs",
    "qless work --queues high,low --order weighted --weights high=3,low=1",
    "qless work --queues images --model processes --children 4 --max-memory 500",
    "QLESS_URL=redis://:secret@redis.example.com qless work --config deploy/qless.config.js",
  ],
  notes: NOTES,
  at: "nowhere",
  async run({ typed }) {
    const { work: start } = await import("../work.ts");
    return start(typed as WorkFlags);
  },
};
