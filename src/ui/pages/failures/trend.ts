import type { Group } from "../../lib/shapes.ts";

/** How many jobs of each group were failed, since the page was opened. */
const counts = new Map<string, number[]>();
const MAX_KEPT = 60;
const MAX_GROUPS = 200;

export function noteGroups(groups: readonly Group[]): void {
  for (const { group, count } of groups.slice(0, MAX_GROUPS)) {
    const list = counts.get(group) ?? [];
    list.push(count);
    if (list.length > MAX_KEPT) list.shift();
    counts.set(group, list);
  }
}

export const trendOf = (group: string): readonly number[] => counts.get(group) ?? [];

/** Moments in as many equal steps of the last hours; how many fell into each. */
export function perHour(moments: readonly number[], now: number, hours: number): number[] {
  const bars = Array.from({ length: hours }, () => 0);
  for (const moment of moments) {
    const back = Math.floor((now - moment) / 3600);
    if (back >= 0 && back < hours) bars[hours - 1 - back]! += 1;
  }
  return bars;
}
