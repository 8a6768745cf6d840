import type { Rankings } from "./rankings.ts";
import type { Records } from "./records.ts";

/** The field under which the text of a strip lies, for in the file it is a record. */
export const STRIP = "";

/** A file's records and rankings. What was changed must have been written. */
interface Tables {
  records: Records;
  rankings: Rankings;
}

/** What a key holds; see `Store.kind`. */
export function kindOf({ records, rankings }: Tables, key: string): string {
  if (records.isUnreadable(key)) return "unreadable";
  const isRecord = records.has(key);
  const isMiscounted = rankings.isMiscounted(key);
  if (isMiscounted || rankings.size(key) > 0) {
    if (isRecord) return "hash and sorted set";
    return isMiscounted ? "miscounted" : "zset";
  }
  if (!isRecord) return "none";
  if (records.lost(key).length > 0) return "incomplete";
  return records.field(key, STRIP) === false ? "hash" : "string";
}

/** Makes a key hold what it must, as far as that is left, or nothing. */
export function mend(
  { records, rankings }: Tables,
  key: string,
  expected: "hash" | "zset" | "string",
): void {
  rankings.recount(key);
  if (expected === "zset" || records.isUnreadable(key)) records.remove(key);
  if (expected === "zset") return;
  rankings.remove(key);
  records.unset(key, records.lost(key));
  const isStrip = records.field(key, STRIP) !== false;
  if (isStrip !== (expected === "string")) records.remove(key);
}
