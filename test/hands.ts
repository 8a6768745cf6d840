import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Redis } from "ioredis";
import { EmbeddedEngine } from "../src/embedded/engine.ts";
import { RedisEngine } from "../src/redis/engine.ts";
import { Bench, freshNamespace, type Home, redisUrl } from "./engines.ts";

/** Reaches into the database behind the core's back. Keys are without the namespace. */
export interface Hands {
  /** The names of all keys of the namespace. */
  keys(): Promise<string[]>;
  field(record: string, name: string): Promise<string | undefined>;
  set(record: string, name: string, value: string): Promise<void>;
  unset(record: string, ...names: string[]): Promise<void>;
  rank(ranking: string, score: number, member: string): Promise<void>;
  /** As `rank`, for many members at one score. */
  rankMany(ranking: string, score: number, members: string[]): Promise<void>;
  unrank(ranking: string, member: string): Promise<void>;
  score(ranking: string, member: string): Promise<number | undefined>;
  noted(strip: string): Promise<string | undefined>;
  note(strip: string, text: string): Promise<void>;
  remove(key: string): Promise<void>;
  close(): Promise<void>;
}

/** A bench on data that hands can reach. */
export async function openWithHands(home: Home): Promise<{ bench: Bench; hands: Hands }> {
  const namespace = freshNamespace();
  if (home !== "sqlite") {
    const url = redisUrl();
    const engine = await RedisEngine.open(url, { namespace, mode: home, onWarning: () => {} });
    return { bench: new Bench(engine, home), hands: redisHands(url, namespace) };
  }
  const folder = mkdtempSync(join(tmpdir(), "qless-"));
  const file = join(folder, "queue.db");
  const engine = await EmbeddedEngine.open(file, { namespace, synchronous: "normal" });
  const hands = sqliteHands(file, namespace);
  const close = async () => {
    await hands.close();
    rmSync(folder, { recursive: true });
  };
  return { bench: new Bench(engine, home), hands: { ...hands, close } };
}

function redisHands(url: string, namespace: string): Hands {
  const redis = new Redis(url);
  const full = (key: string) => (key === "" ? namespace : `${namespace}:${key}`);
  return {
    async keys() {
      const keys = await redis.keys(`${namespace}:*`);
      return keys.map((key) => key.slice(namespace.length + 1)).sort();
    },
    field: async (record, name) => (await redis.hget(full(record), name)) ?? undefined,
    async set(record, name, value) {
      await redis.hset(full(record), name, value);
    },
    async unset(record, ...names) {
      await redis.hdel(full(record), ...names);
    },
    async rank(ranking, score, member) {
      await redis.zadd(full(ranking), score, member);
    },
    async rankMany(ranking, score, members) {
      for (let i = 0; i < members.length; i += 1000) {
        const pairs = members.slice(i, i + 1000).flatMap((member) => [score, member]);
        await redis.zadd(full(ranking), ...pairs);
      }
    },
    async unrank(ranking, member) {
      await redis.zrem(full(ranking), member);
    },
    async score(ranking, member) {
      const score = await redis.zscore(full(ranking), member);
      return score === null ? undefined : Number(score);
    },
    noted: async (strip) => (await redis.get(full(strip))) ?? undefined,
    async note(strip, text) {
      await redis.set(full(strip), text);
    },
    async remove(key) {
      await redis.del(full(key));
    },
    async close() {
      redis.disconnect();
    },
  };
}

/** As src/embedded/layout.ts has it. */
function sqliteHands(file: string, namespace: string): Hands {
  const db = new Database(file);
  const full = (key: string) => (key === "" ? namespace : `${namespace}:${key}`);
  const list = (sql: string) => db.prepare<[], string>(sql).pluck().all();

  function read(record: string): Map<string, unknown> {
    const sql = db.prepare<[string], string>("SELECT fields FROM records WHERE key = ?").pluck();
    const flat = JSON.parse(sql.get(full(record)) ?? "[]") as unknown[];
    const pairs = Array.from({ length: flat.length / 2 }, (_, i) => flat.slice(2 * i, 2 * i + 2));
    return new Map(pairs as [string, unknown][]);
  }
  function write(record: string, fields: Map<string, unknown>): void {
    const key = full(record);
    if (fields.size === 0) {
      db.prepare("DELETE FROM records WHERE key = ?").run(key);
      return;
    }
    db.prepare(
      "INSERT INTO records (key, fields) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET fields = excluded.fields",
    ).run(key, JSON.stringify([...fields].flat()));
  }
  function rankingId(ranking: string): number | undefined {
    const sql = db.prepare<[string], number>("SELECT id FROM rankings WHERE key = ?").pluck();
    return sql.get(full(ranking));
  }
  function resize(id: number): void {
    const count = "(SELECT count(*) FROM members WHERE ranking = rankings.id)";
    db.prepare(`UPDATE rankings SET size = ${count} WHERE id = ?`).run(id);
    db.prepare("DELETE FROM rankings WHERE id = ? AND size = 0").run(id);
  }

  const rankMany = async (ranking: string, score: number, members: string[]) => {
    const make = "INSERT INTO rankings (key, size) VALUES (?, 0) ON CONFLICT DO NOTHING";
    db.prepare(make).run(full(ranking));
    const id = rankingId(ranking)!;
    const sql = db.prepare("REPLACE INTO members (ranking, member, score) VALUES (?, ?, ?)");
    db.transaction(() => {
      for (const member of members) sql.run(id, member, score);
      resize(id);
    })();
  };

  const field = async (record: string, name: string) => {
    const value = read(record).get(name);
    return value === undefined ? undefined : String(value);
  };
  const set = async (record: string, name: string, value: string) =>
    write(record, read(record).set(name, value));

  return {
    async keys() {
      const keys = list("SELECT key FROM records UNION SELECT key FROM rankings ORDER BY key");
      const mine = keys.filter((key) => key.startsWith(`${namespace}:`));
      return mine.map((key) => key.slice(namespace.length + 1));
    },
    field,
    set,
    // A strip is a record of one field without a name.
    noted: (strip) => field(strip, ""),
    note: (strip, text) => set(strip, "", text),
    async unset(record, ...names) {
      const fields = read(record);
      for (const name of names) fields.delete(name);
      write(record, fields);
    },
    rank: (ranking, score, member) => rankMany(ranking, score, [member]),
    rankMany,
    async unrank(ranking, member) {
      const id = rankingId(ranking);
      if (id === undefined) return;
      db.prepare("DELETE FROM members WHERE ranking = ? AND member = ?").run(id, member);
      resize(id);
    },
    async score(ranking, member) {
      const sql = "SELECT score FROM members WHERE ranking = ? AND member = ?";
      return db
        .prepare<unknown[], number>(sql)
        .pluck()
        .get(rankingId(ranking) ?? 0, member);
    },
    async remove(key) {
      db.prepare("DELETE FROM records WHERE key = ?").run(full(key));
      const id = rankingId(key);
      if (id === undefined) return;
      db.prepare("DELETE FROM members WHERE ranking = ?").run(id);
      resize(id);
    },
    async close() {
      db.close();
    },
  };
}
