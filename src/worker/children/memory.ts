import { getHeapStatistics } from "node:v8";
import { isMainThread } from "node:worker_threads";

/** Megabytes that this process holds, or this thread of it. */
export function memory(): number {
  if (isMainThread) return Math.round(process.memoryUsage.rss() / 1e6);
  const { used_heap_size, external_memory } = getHeapStatistics();
  return Math.round((used_heap_size + external_memory) / 1e6);
}
