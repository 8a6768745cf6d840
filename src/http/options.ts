import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Known } from "../client/known.ts";
import type { Logger } from "../client/observing.ts";
import { invalid } from "../client/times.ts";
import { checkTokens, type Token } from "./auth.ts";

/** How the queue is served; everything may be left out. */
export interface HttpOptions {
  /** Who may call, as `tokensFrom` reads them; without any, everybody may do everything. */
  tokens?: readonly Token[];
  /** Names that the server goes by besides those of this machine; `any` allows all. */
  hosts?: readonly string[];
  /** Pages of other origins that may act here, such as `https://admin.example.com`. */
  origins?: readonly string[];
  /** Requests a second that each caller may make; left out, any number. */
  rateLimit?: number;
  /** Bytes that a body may have; default 1 MiB. */
  maxBody?: number;
  /** Readers of events at a time; default 100. */
  maxStreams?: number;
  /** The folder of the web interface, if it is not the one that came with this; false for none. */
  ui?: string | false;
  /** Whether the server does what time demands of all queues; default true. */
  upkeep?: boolean;
  /** Whether it looks at the queues every ten seconds, so that pages have curves; default true. */
  history?: boolean;
  /** Told of what operators do, and of what goes wrong; a pino logger fits. */
  logger?: Logger;
}

export const HTTP_OPTIONS: Known<HttpOptions> = {
  ...{ tokens: true, hosts: true, origins: true, rateLimit: true, maxBody: true },
  ...{ maxStreams: true, ui: true, upkeep: true, history: true, logger: true },
};

/** The options with what is usual in place of what was left out. */
export interface Settled {
  tokens: readonly Token[] | undefined;
  hosts: readonly string[];
  origins: readonly string[];
  rateLimit: number | undefined;
  maxBody: number;
  maxStreams: number;
  ui: string | undefined;
  upkeep: boolean;
  history: boolean;
  logger: Logger | undefined;
}

const MAX_BODY = 64 * 1024 * 1024;

export function settled(options: HttpOptions = {}): Settled {
  const { hosts = [], origins = [], maxBody = 1024 * 1024, maxStreams = 100 } = options;
  checkWhole("maxBody", maxBody, 1024, MAX_BODY);
  checkWhole("maxStreams", maxStreams, 0, 10_000);
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    throw invalid(`An origin must be such as https://example.com, not ${JSON.stringify(origin)}`);
  }
  const { rateLimit, tokens } = options;
  if (tokens !== undefined) checkTokens(tokens, "tokens");
  if (rateLimit !== undefined && !(rateLimit > 0 && rateLimit <= 1_000_000)) {
    throw invalid("The rate limit must be a number of requests a second, greater than zero");
  }
  return {
    ...{ hosts, origins, rateLimit, maxBody, maxStreams },
    tokens,
    ui: options.ui === false ? undefined : (options.ui ?? builtFolder()),
    upkeep: options.upkeep ?? true,
    history: options.history ?? true,
    logger: options.logger,
  };
}

/** The web interface beside these files, if it was built: its sources have no assets. */
function builtFolder(): string | undefined {
  const folder = fileURLToPath(new URL("../ui/", import.meta.url));
  return existsSync(`${folder}assets`) ? folder : undefined;
}

function checkWhole(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw invalid(`${name} must be a whole number from ${least} to ${most}`);
}
