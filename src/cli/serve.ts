import type { Logger } from "pino";
import { connect } from "../connect.ts";
import { serve as listen, type Served } from "../http/server.ts";
import { Deadline } from "../worker/deadline.ts";
import { EXIT } from "./exit-codes.ts";
import { openLog } from "./logging.ts";
import { placeOf } from "./plain.ts";
import { type ServeFlags, type ServeSettings, serveSettings } from "./serve-flags.ts";
import { onStopSignals } from "./stop-signals.ts";
import { onUncaught } from "./uncaught.ts";

/** Connections are given so long to close, in milliseconds. */
const CLOSE_MS = 2000;
/** While the store is away, a request is told so after this long. */
const STORE_TIMEOUT = "5s";

/** Serves until it is told to stop; gives the code to exit with. */
export async function serve(flags: ServeFlags): Promise<number> {
  const settings = serveSettings(flags, process.env, process.stdout.isTTY === true);
  const log = openLog(settings.log);
  for (const warning of settings.warnings) log.warn(warning);
  const { url, namespace } = settings;
  const client = await connect(url, {
    namespace,
    timeout: STORE_TIMEOUT,
    onWarning: (sentence) => log.warn(sentence),
    // At other levels nobody would see a call, and each would pay for it.
    ...(settings.log.level === "debug" && { logger: log }),
  });
  try {
    const served = await listen(client, { ...settings.serve, logger: log });
    return await untilStopped(served, settings, log);
  } finally {
    await new Deadline(CLOSE_MS).meets(client.close().catch(() => {}));
  }
}

async function untilStopped(
  served: Served,
  { url, namespace, serve: options }: ServeSettings,
  log: Logger,
): Promise<number> {
  const code = new Promise<number>((resolve) => {
    obey(served, log, resolve);
    onUncaught((err) => {
      log.error({ err }, "An error that nobody caught; stopping at once");
      resolve(EXIT.FAILED);
    });
  });
  const callers = options.tokens === undefined ? "anybody" : `${options.tokens.length} tokens`;
  log.info({ url: served.url, engine: placeOf(url), namespace, callers }, "Serving");
  return code;
}

/** The first signal stops when all requests are answered, the second at once. */
function obey(served: Served, log: Logger, end: (code: number) => void): void {
  onStopSignals({
    asked(signal) {
      log.info({ signal }, "Stopping; requests have their grace to end");
      served.stop().then(
        () => {
          log.info("Stopped");
          end(EXIT.CLEAN);
        },
        (err) => {
          log.error({ err }, "The server could not be stopped");
          end(EXIT.FAILED);
        },
      );
    },
    urged(signal) {
      log.warn({ signal }, "Stopping at once; requests are cut off");
      end(signal === "SIGINT" ? EXIT.SIGINT : EXIT.SIGTERM);
    },
  });
}
