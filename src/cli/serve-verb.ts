import { type Command, Option } from "commander";
import { LOG_FORMATS, LOG_LEVELS } from "../worker/config.ts";
import type { ServeFlags } from "./serve-flags.ts";

const EXAMPLES = `
Examples:
  qless serve --url sqlite:./jobs.db
  qless serve --host 0.0.0.0 --tokens ./tokens --allow-host queue.example.com
  QLESS_URL=redis://:secret@redis.example.com qless serve --base /qless --trust-proxy

Tokens are lines of three words, name role token; roles are read, put, work and admin, or several
with + between them. Signals: TERM and INT stop when requests are answered, a second one at once.`;

const also = (one: string, all: string[] = []) => [...all, one];

/** Adds `qless serve`; what it needs is loaded when it is called. */
export function addServe(program: Command, done: (code: number) => void): void {
  program
    .command("serve")
    .description("Serve queues over HTTP: to programs of any language, to people, to Prometheus.")
    .option("--url <url>", "where the queues are (sqlite:./qless.db); say a password by QLESS_URL")
    .option("--namespace <name>", "what every key begins with (ql)")
    .option("--host <address>", "where to listen (127.0.0.1)")
    .option("--port <n>", "the port to listen on (4774)")
    .option("--base <path>", "the path that all others are under, such as /qless")
    .option("--tokens <file>", "who may call; or QLESS_TOKENS")
    .option("--allow-host <name>", "a name that this server goes by; may be repeated", also)
    .option("--allow-origin <origin>", "pages that may act here; may be repeated", also)
    .option("--rate-limit <n>", "requests a second that each caller may make")
    .option("--max-body <bytes>", "how long a body may be (1048576)")
    .option("--grace <time>", "how long a stop waits for requests (10s)")
    .option("--trust-proxy", "believe a proxy's X-Forwarded-For and X-Forwarded-Host")
    .option("--insecure", "listen elsewhere than on this machine without tokens")
    .option("--no-upkeep", "leave expired locks and schedules to workers")
    .addOption(new Option("--log-level <level>", "how much to log (info)").choices(LOG_LEVELS))
    .addOption(
      new Option("--log-format <format>", "pretty on a terminal, else json").choices(LOG_FORMATS),
    )
    .addHelpText("after", EXAMPLES)
    .action(async (flags: ServeFlags) => {
      const { serve } = await import("./serve.ts");
      done(await serve(flags));
    });
}
