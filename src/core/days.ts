import { histogramDaysKey, statisticsDaysKey } from "./keys.ts";
import type { Store } from "./store.ts";

export const DAY_MS = 86400000;

/** Midnight before the time, as the seconds that keys carry. */
export const dayOf = (ms: number) => (Math.floor(ms / DAY_MS) * DAY_MS) / 1000;

export const dayOfQueue = (store: Store, ms: number, queue: string) =>
  store.text.integer(dayOf(ms)) + ":" + queue;

/** Notes a day's statistics, so that they can be found when it is time to drop them. */
export function keepDay(store: Store, ms: number, day: string): void {
  store.rank(statisticsDaysKey(), [dayOf(ms), day]);
  store.rank(histogramDaysKey(), [dayOf(ms), day]);
}
