import type { Reply } from "../src/engine.ts";
import { type Bench, optionWords } from "./engines.ts";

/** The first tick of a schedule of the tests, a minute after their time begins. */
export const FIRST = 1_000_060;

export interface Schedule {
  jid?: string;
  queue?: string;
  klass?: string;
  data?: string;
  cron?: string;
  zone?: string;
  next?: number;
  priority?: number;
  tags?: string[];
  retries?: number;
  source?: string;
  backoff?: string;
  overlap?: string;
  missed?: string;
  backlog?: number;
  jitter?: number;
}

/** Puts a schedule in one line: `await putCron(bench, { overlap: "skip" })`. */
export function putCron(bench: Bench, schedule: Schedule = {}): Promise<Reply> {
  const { jid = "s", queue = "q", klass = "klass", data = "{}", ...rest } = schedule;
  const { cron = "* * * * *", zone = "UTC", next = FIRST, ...options } = rest;
  const words = [jid, queue, klass, data, cron, zone, next];
  return bench.call("cron.put", ...words, ...optionWords(options));
}

/** The schedule `s` as it is before anything has happened to it. */
export const NEW = {
  jid: "s",
  queue: "q",
  klass: "klass",
  data: "{}",
  cron: "* * * * *",
  zone: "UTC",
  priority: 0,
  tags: [],
  retries: null,
  source: null,
  backoff: null,
  overlap: "allow",
  missed: "one",
  backlog: 100,
  jitter: 0,
  paused: false,
  next: FIRST,
  last: null,
  last_jid: null,
  runs: 0,
  skipped: 0,
};
