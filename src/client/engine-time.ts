import type { CallLimits, Calls } from "./calls.ts";

/** What the engine's clock says: of two clocks, the one by which jobs are due. */
export async function engineTime(calls: Calls, limits?: CallLimits): Promise<Date> {
  // The command that reads next to nothing and tells the time.
  const { now } = await calls.json<{ now: number }>("cron.due", [0], limits);
  return new Date(Math.round(now * 1000));
}
