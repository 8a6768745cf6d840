import type { Client } from "../../../src/client/client.ts";
import type { Site } from "../support.ts";

/** One run of a verb: what is there before, what is typed, and what comes of it. */
export interface Row {
  /** A sentence: `shows a job`. */
  does: string;
  /** Words behind the verb. */
  words?: readonly string[];
  input?: string;
  files?: Record<string, string>;
  before?: (client: Client, site: Site) => Promise<unknown>;
  /** The exit code; 0 unless it is said. */
  code?: number;
  out?: RegExp | string;
  error?: RegExp | string;
  /** What the output holds as JSON, with `--json` added to the words. */
  json?: unknown;
  after?: (client: Client, site: Site) => Promise<unknown>;
}

/** Runs by verb. */
export type Rows = Readonly<Record<string, readonly Row[]>>;
