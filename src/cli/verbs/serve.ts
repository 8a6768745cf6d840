import { LOG_FORMATS, LOG_LEVELS } from "../../worker/config.ts";
import type { ServeFlags } from "../serve-flags.ts";
import { PLACE_FLAGS, type Verb } from "../verb.ts";

const NOTES = `Tokens are lines of three words, name role token; roles are read, put, work and admin, or several
with + between them. Signals: TERM and INT stop when requests are answered, a second one at once.`;

export const serve: Verb = {
  name: "serve",
  about: "Serve queues over HTTP: to programs of any language, to people, to Prometheus.",
  flags: [
    // Its output is a log, whose form is a flag of its own.
    ...PLACE_FLAGS.filter(({ flag }) => flag !== "--json"),
    { flag: "--host <address>", about: "where to listen (127.0.0.1)" },
    { flag: "--port <n>", about: "the port to listen on (4774)" },
    { flag: "--base <path>", about: "the path that all others are under, such as /qless" },
    { flag: "--tokens <file>", about: "who may call; or QLESS_TOKENS" },
    { flag: "--allow-host <name...>", about: "names that this server goes by" },
    { flag: "--allow-origin <origin...>", about: "pages that may act here" },
    { flag: "--rate-limit <n>", about: "requests a second that each caller may make" },
    { flag: "--max-body <bytes>", about: "how long a body may be (1048576)" },
    { flag: "--grace <time>", about: "how long a stop waits for requests (10s)" },
    {
      flag: "--trust-proxy <proxies>",
      about: "how many proxies add X-Forwarded-For, or their addresses",
    },
    { flag: "--insecure", about: "listen elsewhere than on this machine without tokens" },
    { flag: "--no-upkeep", about: "leave expired locks and schedules to workers" },
    { flag: "--log-level <level>", about: "how much to log (info)", choices: LOG_LEVELS },
    {
      flag: "--log-format <format>",
      about: "pretty on a terminal, else json",
      choices: LOG_FORMATS,
    },
  ],
  examples: [
    "qless serve --url sqlite:./jobs.db",
    "qless serve --host 0.0.0.0 --tokens ./tokens --allow-host queue.example.com",
    "QLESS_URL=redis://:secret@redis.example.com qless serve --base /qless --trust-proxy 1",
  ],
  notes: NOTES,
  at: "nowhere",
  async run({ typed }) {
    const { serve: start } = await import("../serve.ts");
    return start(typed as ServeFlags);
  },
};
