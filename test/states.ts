import { expect } from "vitest";
import type { Bench, PutOptions } from "./engines.ts";

/** Every state that a job can be in. */
export const STATES = [
  "waiting",
  "scheduled",
  "depends",
  "running",
  "stalled",
  "complete",
  "failed",
] as const;
export type State = (typeof STATES)[number];

/**
 * Makes a job in that state, in a queue without other jobs. The worker is `w`, the group of its
 * failure `group`, and what it depends on is `<jid>-before` in queue `before`.
 */
export async function jobIn(
  bench: Bench,
  state: State,
  { jid = "a", queue = "q", ...options }: PutOptions & { jid?: string; queue?: string } = {},
): Promise<void> {
  if (state === "depends") {
    await bench.put("before", `${jid}-before`);
    await bench.put(queue, jid, { ...options, depends: [`${jid}-before`] });
  } else {
    await bench.put(queue, jid, state === "scheduled" ? { delay: 100, ...options } : options);
  }
  const runs = state === "running" || state === "stalled";
  if (runs || state === "complete" || state === "failed") await bench.pop(queue, "w");
  if (state === "stalled") await bench.call("timeout", jid);
  if (state === "complete") await bench.call("complete", jid, "w", queue, "{}");
  if (state === "failed") await bench.call("fail", jid, "w", "group", "message");
  expect((await bench.json("get", jid)).state).toBe(state);
}

/** Puts and fails jobs, one after the other, in a group. */
export async function failedJobs(bench: Bench, group: string, jids: string[], queue = "q") {
  for (const jid of jids) {
    await bench.put(queue, jid);
    await bench.pop(queue, "w");
    await bench.call("fail", jid, "w", group, "message");
  }
}
