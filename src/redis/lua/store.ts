import type { Pairs, Store } from "../../core/store.ts";
import { isSharded } from "./sharding.ts";
import { mayHear, noteUnheard } from "./silence.ts";
import { text } from "./text.ts";

/**
 * From so many members on, two calls cost less than one: ZPOPMIN also tells the score of each, and
 * writing that takes Redis longer than removing the member.
 */
const SEVERAL = 4;

function takeSeveral(ranking: string, count: number): string[] {
  const members = redis.call("ZRANGE", ranking, "0", integer(count - 1)) as string[];
  const found = members.length;
  if (found > 0) redis.call("ZREMRANGEBYRANK", ranking, "0", integer(found - 1));
  return members;
}

/**
 * The members of a list in which each is followed by its score, in that list: another would cost
 * more.
 */
function withoutScores(scored: (string | undefined)[]): string[] {
  const length = scored.length;
  const found = length / 2;
  for (let i = 1; i < found; i++) scored[i] = scored[2 * i];
  for (let i = found; i < length; i++) scored[i] = undefined;
  return scored as string[];
}

/** As `withoutScores`, of a list of one member at most. */
function onlyMember(scored: (string | undefined)[]): string[] {
  scored[1] = undefined;
  return scored as string[];
}

/** Arguments that go to Redis at once: Lua's stack takes a few thousand. */
const PIECE = 4000;

/**
 * Calls a command with a list of any length behind the key, piece by piece, and adds the answers.
 */
function callAll(command: string, key: string, list: Pairs): number {
  const length = list.length;
  if (length === 0) return 0;
  if (length <= PIECE) return redis.call(command, key, ...list);
  let sum = 0;
  for (let from = 0; from < length; from += PIECE) {
    const piece: Pairs = [];
    for (let i = from; i < from + PIECE && i < length; i++) piece.push(list[i]!);
    sum += redis.call(command, key, ...piece) as number;
  }
  return sum;
}

function fieldsOf(record: string, names: string[]): (string | false)[] {
  if (names.length <= PIECE) return redis.call("HMGET", record, ...names);
  const values: (string | false)[] = [];
  for (const name of names) values.push(redis.call("HGET", record, name));
  return values;
}

/** Costs no more than `fieldsOf`: of an error, `pcall` makes a table without members. */
function fieldsIfSound(record: string, names: string[]): (string | false)[] {
  return redis.pcall("HMGET", record, ...names) as (string | false)[];
}

/** Of what `pcall` answers, only an error has a member `err`. */
function fieldIfSound(record: string, name: string): string | false | undefined {
  const value = redis.pcall("HGET", record, name) as string | false;
  if (value !== false && (value as unknown as { err?: string }).err !== undefined) return undefined;
  return value;
}

/** A user who may not ask gets an empty answer. */
function kindOf(key: string): string {
  const kind = (redis.pcall("TYPE", key) as { ok?: string }).ok;
  return kind === undefined ? "" : kind;
}

const scoreOf = (score: string | false) => (score === false ? false : tonumber(score)!);

// Redis turns a number that Lua gives it into text at more cost than many a command has.
const integer = text.integer;

/** The end of a range of scores, as Redis reads it. */
function bound(score: number): string {
  if (score === math.huge) return "+inf";
  if (score === -math.huge) return "-inf";
  return math.floor(score) === score ? integer(score) : text.exact(score);
}

/** Members from `offset` on; Redis would take a count of none for all. */
function range(command: string, ranking: string, offset: number, count: number): string[] {
  if (count <= 0) return [];
  return redis.call(command, ranking, integer(offset), integer(offset + count - 1));
}

function rangeScored(command: string, ranking: string, offset: number, count: number): string[] {
  if (count <= 0) return [];
  const last = integer(offset + count - 1);
  return redis.call(command, ranking, integer(offset), last, "WITHSCORES");
}

/** A namespace may hold nothing that a pattern would not take literally, but braces are fine. */
const patternOf = (prefix: string) => prefix + "*";

/**
 * Redis keeps a ranking of up to 128 members as a plain list and walks through it at every change,
 * which from a handful of members on costs more than a skip list does. A member of more than 64
 * bytes makes it change over, and it does not change back until it is empty.
 */
const CROWD = 4;
const LONG_MEMBER = string.rep("-", 65);

/** The core's Store in Redis: records are hashes, rankings sorted sets, strips strings. */
export const store: Store = {
  text,

  field: (record, name) => redis.call("HGET", record, name),
  fieldIfSound,
  fields: fieldsOf,
  fieldsIfSound,
  all: (record) => redis.call("HGETALL", record),
  allIfSound: (record) => redis.pcall("HGETALL", record) as string[],
  set(record, pairs) {
    callAll("HSET", record, pairs);
  },
  unset(record, names) {
    callAll("HDEL", record, names);
  },
  increase: (record, name, by) =>
    redis.call("HINCRBY", record, name, by === 1 ? "1" : text.integer(by)),
  exists: (key) => redis.call("EXISTS", key) === 1,
  kind: kindOf,
  mend: (key) => redis.call("DEL", key),
  existsAny(keys) {
    if (keys.length <= PIECE) return redis.call("EXISTS", ...keys) !== 0;
    for (const key of keys) if (redis.call("EXISTS", key) === 1) return true;
    return false;
  },
  remove(keys) {
    const length = keys.length;
    if (length > 0 && length <= PIECE) redis.call("DEL", ...(keys as [string, ...string[]]));
    else for (const key of keys) redis.call("DEL", key);
  },

  append: (strip, more) => redis.call("APPEND", strip, more),
  read: (strip) => redis.call("GET", strip),

  rank(ranking, pairs) {
    callAll("ZADD", ranking, pairs);
  },
  unrank: (ranking, members) => callAll("ZREM", ranking, members),
  takeLowest(ranking, count) {
    if (count === 1) return onlyMember(redis.call("ZPOPMIN", ranking));
    if (count <= 0) return [];
    if (count >= SEVERAL) return takeSeveral(ranking, count);
    return withoutScores(redis.call("ZPOPMIN", ranking, integer(count)));
  },
  crowd(ranking) {
    // Who may not ask has no need to know: this is for speed alone.
    if (redis.pcall("OBJECT", "ENCODING", ranking) !== "listpack") return;
    if ((redis.call("ZCARD", ranking) as number) < CROWD) return;
    redis.call("ZADD", ranking, "0", LONG_MEMBER);
    redis.call("ZREM", ranking, LONG_MEMBER);
  },
  score: (ranking, member) => scoreOf(redis.call("ZSCORE", ranking, member)),
  raise: (ranking, member, by) => tonumber(redis.call("ZINCRBY", ranking, by, member))!,
  size: (ranking) => redis.call("ZCARD", ranking),
  sizeBetween: (ranking, min, max) => redis.call("ZCOUNT", ranking, bound(min), bound(max)),
  lowest: (ranking, offset, count) => range("ZRANGE", ranking, offset, count),
  highest: (ranking, offset, count) => range("ZREVRANGE", ranking, offset, count),
  lowestScored: (ranking, offset, count) => rangeScored("ZRANGE", ranking, offset, count),
  highestScored: (ranking, offset, count) => rangeScored("ZREVRANGE", ranking, offset, count),
  between(ranking, { min, max }, offset, count) {
    if (count <= 0) return [];
    const limit = integer(count);
    return redis.call(
      "ZRANGEBYSCORE",
      ranking,
      bound(min),
      bound(max),
      "LIMIT",
      integer(offset),
      limit,
    );
  },
  betweenScored(ranking, { min, max }, offset, count) {
    if (count <= 0) return [];
    const limit = ["LIMIT", integer(offset), integer(count)] as const;
    return redis.call("ZRANGEBYSCORE", ranking, bound(min), bound(max), "WITHSCORES", ...limit);
  },
  highestBelow(ranking, above) {
    const exclusive = above === math.huge ? "+inf" : "(" + text.exact(above);
    const found = redis.call(
      "ZREVRANGEBYSCORE",
      ranking,
      exclusive,
      "-inf",
      "WITHSCORES",
      "LIMIT",
      0,
      1,
    ) as string[];
    return found[1] === undefined ? false : scoreOf(found[1]);
  },
  position: (ranking, member) => redis.call("ZRANK", ranking, member),

  keys(prefix, cursor, count) {
    const [next, keys] = redis.call("SCAN", cursor, "MATCH", patternOf(prefix), "COUNT", count);
    return { cursor: next, keys };
  },

  mayHear,
  announce(channel, message) {
    const verb = isSharded(channel) ? "SPUBLISH" : "PUBLISH";
    if (redis.call(verb, channel, message) !== 0) return true;
    noteUnheard(channel);
    return false;
  },
};
