import { length } from "../../lib/format.ts";

/** The ends of bars in seconds. Each is the end of a bin of the statistics. */
const ENDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];

export interface Bar {
  name: string;
  jobs: number;
}

/** When a bin begins: 60 seconds, 59 minutes, 23 hours, then days. */
function startOf(bin: number): number {
  if (bin < 60) return bin;
  if (bin < 119) return (bin - 59) * 60;
  if (bin < 142) return (bin - 118) * 3600;
  return (bin - 141) * 86_400;
}

/** The 148 bins of a day as a few bars that can be read; empty ones at both ends are left out. */
export function barsOf(histogram: readonly number[]): Bar[] {
  const bars = [...ENDS, Number.POSITIVE_INFINITY].map((end) => ({
    name: Number.isFinite(end) ? `<${length(end).replace(" ", "")}` : "more",
    end,
    jobs: 0,
  }));
  histogram.forEach((jobs, bin) => {
    const start = startOf(bin);
    bars.find(({ end }) => start < end)!.jobs += jobs;
  });
  const used = bars.map(({ jobs }, i) => (jobs > 0 ? i : -1)).filter((i) => i >= 0);
  const from = Math.max(0, Math.min((used[0] ?? 0) - 1, bars.length - 6));
  const to = Math.max((used.at(-1) ?? 0) + 2, from + 6);
  return bars.slice(from, to).map(({ name, jobs }) => ({ name, jobs }));
}
