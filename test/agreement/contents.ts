import type Database from "better-sqlite3";
import type { Redis } from "ioredis";

/** Everything in a namespace: records by key and field, rankings by key and member. */
export interface Contents {
  records: Record<string, Record<string, string>>;
  rankings: Record<string, Record<string, number>>;
}

/** Redis prints numbers to the last digit, JavaScript as short as will do. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;
const normalised = (text: string) => (NUMBER.test(text) ? String(Number(text)) : text);

const scoreOf = (text: string) =>
  text === "inf"
    ? Number.POSITIVE_INFINITY
    : text === "-inf"
      ? Number.NEGATIVE_INFINITY
      : Number(text);

/** The fields of a record; answers of requests are packed differently, so only that there is one. */
function fieldsOf(key: string, flat: string[]): Record<string, string> {
  const fields: [string, string][] = [];
  for (let i = 0; i < flat.length; i += 2) fields.push([flat[i]!, normalised(flat[i + 1]!)]);
  if (/^[^:]+:request:/.test(key)) return Object.fromEntries(fields.map(([name]) => [name, ""]));
  return Object.fromEntries(fields.toSorted());
}

interface RecordRow {
  key: string;
  fields: string;
}

interface MemberRow {
  key: string;
  member: string;
  score: number;
}

/** What an SQLite file holds, read past the store. */
export function sqliteContents(db: Database.Database): Contents {
  const contents: Contents = { records: {}, rankings: {} };
  const long = new Map(db.prepare<[], [number, string]>("SELECT id, text FROM texts").raw().all());
  for (const { key, fields } of db.prepare<[], RecordRow>(RECORDS).all()) {
    const flat = JSON.parse(fields) as (string | number)[];
    const texts = flat.map((value) => (typeof value === "number" ? takeLong(long, value) : value));
    contents.records[key] = fieldsOf(key, texts);
  }
  if (long.size > 0) throw new Error(`${long.size} long texts belong to no record`);
  for (const { key, member, score } of db.prepare<[], MemberRow>(MEMBERS).all()) {
    contents.rankings[key] ??= {};
    contents.rankings[key][member] = score;
  }
  const wrong = db.prepare<[], string>(WRONG_SIZES).pluck().all();
  if (wrong.length > 0) throw new Error(`Rankings of a wrong size: ${wrong.join(" ")}`);
  return contents;
}

const RECORDS = "SELECT key, fields FROM records ORDER BY key";
const MEMBERS = `SELECT key, member, score FROM members LEFT JOIN rankings ON id = ranking
  ORDER BY key, member`;
const WRONG_SIZES = `SELECT key FROM rankings
  WHERE size = 0 OR size <> (SELECT count(*) FROM members WHERE ranking = id)`;

function takeLong(long: Map<number, string>, id: number): string {
  const text = long.get(id);
  if (text === undefined)
    throw new Error(`A record refers to the long text ${id}, which is not there`);
  long.delete(id);
  return text;
}

/**
 * Reads a whole database in one step. The fingerprint is of the same, in an order that does not
 * depend on how Redis keeps it.
 */
const READ = `
local all = {}
local keys = redis.call("KEYS", "*")
table.sort(keys)
for _, key in ipairs(keys) do
  local kind = redis.call("TYPE", key).ok
  local flat = {}
  if kind == "hash" then flat = redis.call("HGETALL", key)
  elseif kind == "zset" then flat = redis.call("ZRANGE", key, 0, -1, "WITHSCORES")
  elseif kind == "string" then flat = { "", redis.call("GET", key) } end
  if ARGV[1] == "fingerprint" then
    local entries = {}
    for i = 1, #flat, 2 do entries[#entries + 1] = flat[i] .. "=" .. flat[i + 1] end
    table.sort(entries)
    all[#all + 1] = kind .. key .. table.concat(entries, "&")
  else all[#all + 1] = { key, kind, flat } end
end
if ARGV[1] == "fingerprint" then return redis.sha1hex(table.concat(all, "\\n")) end
return all`;

/** What a database of Redis holds, all of which must be one namespace. */
export async function redisContents(redis: Redis): Promise<Contents> {
  const all = (await redis.eval(READ, 0, "all")) as [string, string, string[]][];
  const contents: Contents = { records: {}, rankings: {} };
  for (const [key, kind, flat] of all) {
    // In an SQLite file a strip is a record of one field without a name.
    if (kind === "hash" || kind === "string") contents.records[key] = fieldsOf(key, flat);
    else if (kind === "zset") contents.rankings[key] = membersOf(flat);
    else throw new Error(`${key} is a ${kind}`);
  }
  return contents;
}

function membersOf(flat: string[]): Record<string, number> {
  const members: [string, number][] = [];
  for (let i = 0; i < flat.length; i += 2) members.push([flat[i]!, scoreOf(flat[i + 1]!)]);
  return Object.fromEntries(members);
}

/** A text that changes whenever anything in the database does. */
export async function redisFingerprint(redis: Redis): Promise<string> {
  return (await redis.eval(READ, 0, "fingerprint")) as string;
}
