import { type Bench, optionWords, type PutOptions } from "../engines.ts";

/** Searching, in few words. */

export type Criteria = Record<string, string | number>;

export interface Found {
  jids: string[];
  cursor: string;
  looked: number;
}

/** One call of search. */
export function find(
  bench: Bench,
  criteria: Criteria = {},
  cursor = "0",
  count = 1000,
): Promise<Found> {
  return bench.json("search", cursor, count, ...optionWords(criteria));
}

/** Everything that a search finds, some at a time. `between` is done after each call. */
export async function searchAll(
  bench: Bench,
  criteria: Criteria,
  count: number,
  between: (found: Found) => Promise<unknown> = async () => {},
): Promise<{ jids: string[]; calls: number }> {
  const jids: string[] = [];
  let cursor = "0";
  let calls = 0;
  do {
    const found = await find(bench, criteria, cursor, count);
    jids.push(...found.jids);
    cursor = found.cursor;
    calls += 1;
    await between(found);
  } while (cursor !== "");
  return { jids, calls };
}

export async function found(bench: Bench, criteria: Criteria = {}): Promise<string[]> {
  return (await searchAll(bench, criteria, 100)).jids;
}

/** Brings a job into every state in the queue `q`, each tagged `all`. Tells their jids. */
export async function everywhere(bench: Bench): Promise<string[]> {
  const put = (jid: string, options: PutOptions = {}) =>
    bench.put("q", jid, { tags: ["all"], ...options });
  const pop = async (jid: string) => {
    await put(jid);
    await bench.pop("q", "w");
  };
  await pop("complete");
  await bench.call("complete", "complete", "w", "q", "{}");
  await pop("failed");
  await bench.call("fail", "failed", "w", "group", "message");
  await pop("expired");
  await bench.call("config.set", "heartbeat", 1000);
  await pop("running");
  await pop("taken-away");
  await bench.call("timeout", "taken-away");
  await put("waiting");
  await put("scheduled", { delay: 1000 });
  await put("depends", { depends: ["running"] });
  bench.later(100);
  const queued = ["expired", "running", "taken-away", "waiting", "scheduled", "depends"];
  return ["complete", "failed", ...queued];
}
