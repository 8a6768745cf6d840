import { readFileSync, statSync } from "node:fs";
import { invalid, milliseconds } from "../client/times.ts";
import { DEFAULTS } from "../connect.ts";
import { type Token, tokensFrom } from "../http/auth.ts";
import type { ServeOptions } from "../http/server.ts";
import type { LogSettings } from "./logging.ts";

/** Flags of `qless serve`, as they were typed. */
export interface ServeFlags {
  url?: string;
  namespace?: string;
  host?: string;
  port?: string;
  base?: string;
  tokens?: string;
  allowHost?: string[];
  allowOrigin?: string[];
  rateLimit?: string;
  maxBody?: string;
  grace?: string;
  trustProxy?: string;
  insecure?: boolean;
  upkeep?: boolean;
  logLevel?: LogSettings["level"];
  logFormat?: LogSettings["format"];
}

/** All that a server process goes by. */
export interface ServeSettings {
  url: string;
  namespace: string;
  log: LogSettings;
  serve: ServeOptions;
  warnings: string[];
}

/** Puts together what flags and the environment say; an empty variable says nothing. */
export function serveSettings(
  flags: ServeFlags,
  environment: NodeJS.ProcessEnv,
  isTerminal: boolean,
): ServeSettings {
  for (const [flag, text] of Object.entries(flags)) {
    if (text === "") throw invalid(`--${flag} says nothing: leave it out, or give it a value`);
  }
  const { url = environment.QLESS_URL || DEFAULTS.url, namespace } = flags;
  const { logLevel = "info", logFormat = isTerminal ? "pretty" : "json" } = flags;
  const { tokens, warnings } = tokensOf(flags.tokens, environment.QLESS_TOKENS);
  return {
    url,
    namespace: namespace ?? (environment.QLESS_NAMESPACE || DEFAULTS.namespace),
    log: { level: logLevel, format: logFormat },
    serve: { ...placeOf(flags), ...limitsOf(flags), ...(tokens !== undefined && { tokens }) },
    warnings,
  };
}

function placeOf(flags: ServeFlags): ServeOptions {
  const { host, port, base, insecure, trustProxy, upkeep } = flags;
  return {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: numberOf(port, "--port") }),
    ...(base !== undefined && { base }),
    ...(insecure !== undefined && { insecure }),
    ...(trustProxy !== undefined && { trustProxy }),
    ...(upkeep !== undefined && { upkeep }),
    hosts: flags.allowHost ?? [],
    origins: flags.allowOrigin ?? [],
  };
}

function limitsOf({ rateLimit, maxBody, grace }: ServeFlags): ServeOptions {
  if (grace !== undefined) {
    if (/^\d+$/.test(grace)) throw invalid(`--grace needs a unit: ${grace}s or ${grace}ms`);
    milliseconds(grace, "--grace");
  }
  return {
    ...(rateLimit !== undefined && { rateLimit: numberOf(rateLimit, "--rate-limit") }),
    ...(maxBody !== undefined && { maxBody: numberOf(maxBody, "--max-body") }),
    ...(grace !== undefined && { grace }),
  };
}

function numberOf(text: string, from: string): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  throw invalid(`${from} must be a whole number, not ${JSON.stringify(text)}`);
}

interface Tokens {
  tokens: Token[] | undefined;
  warnings: string[];
}

/**
 * Tokens of a file, or of the environment, but not of both. An empty variable is an error: a secret
 * that was not set would otherwise open the server to everyone.
 */
function tokensOf(file: string | undefined, text: string | undefined): Tokens {
  if (file === undefined) {
    if (text?.trim() === "") throw invalid("QLESS_TOKENS is empty. Set it to tokens, or unset it");
    const tokens = text === undefined ? undefined : tokensFrom(text, "QLESS_TOKENS");
    return { tokens, warnings: [] };
  }
  if (text) throw invalid("There are tokens in --tokens and in QLESS_TOKENS: use one of them");
  try {
    const isOpen = (statSync(file).mode & 0o077) !== 0;
    const warning = `${file} can be read by others than its owner: chmod 600 it`;
    return {
      tokens: tokensFrom(readFileSync(file, "utf8"), file),
      warnings: isOpen ? [warning] : [],
    };
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw invalid(`The tokens in ${file} cannot be read (${code})`);
  }
}
