import type Database from "better-sqlite3";
import type { Absent, Pairs, Range } from "../core/store.ts";
import { rankingStatements, type Scored } from "./ranking-statements.ts";
import { scoreOf } from "./score.ts";
import { WriteBack } from "./write-back.ts";

interface Entry {
  key: string;
  /** What its members call it; 0 when it is not in the file. */
  id: number;
  size: number;
  changed: boolean;
}

/**
 * The rankings of the file. Members go there at once, since SQLite is to keep them in order; what
 * number a ranking has and how many members it counts is written back at the end.
 */
export class Rankings {
  readonly #sql: ReturnType<typeof rankingStatements>;
  readonly #entries: WriteBack<Entry>;

  constructor(db: Database.Database) {
    this.#sql = rankingStatements(db);
    this.#entries = new WriteBack({
      read: (key) => this.#read(key),
      write: (entry) => this.#write(entry),
    });
  }

  get kept(): WriteBack<Entry> {
    return this.#entries;
  }

  size(key: string): number {
    return this.#entries.get(key).size;
  }

  sizeBetween(key: string, min: number, max: number): number {
    const { id, size } = this.#entries.get(key);
    return size === 0 ? 0 : (this.#sql.sizeBetween.get(id, min, max) ?? 0);
  }

  /** Whether the number of its members is not the one that its row says. */
  isMiscounted(key: string): boolean {
    const { id, size } = this.#entries.get(key);
    return id !== 0 && (size <= 0 || this.#sql.count.get(id) !== size);
  }

  /** Counts the members anew. */
  recount(key: string): void {
    const entry = this.#entries.get(key);
    if (entry.id === 0) return;
    entry.size = this.#sql.count.get(entry.id) ?? 0;
    this.#entries.change(entry);
  }

  rank(key: string, pairs: Pairs): void {
    if (pairs.length === 0) return;
    const entry = this.#entries.get(key);
    if (entry.id === 0) entry.id = Number(this.#sql.insert.run(key).lastInsertRowid);
    let added = 0;
    for (let i = 0; i < pairs.length; i += 2) {
      added += this.#place(entry.id, scoreOf(pairs[i] ?? 0), String(pairs[i + 1]));
    }
    this.#resize(entry, added);
  }

  /** Returns how many members there are more. */
  #place(id: number, score: number, member: string): number {
    const added = this.#sql.add.run(id, member, score).changes;
    if (added === 0) this.#sql.move.run(score, id, member);
    return added;
  }

  unrank(key: string, members: string[]): number {
    const entry = this.#entries.get(key);
    if (entry.size === 0) return 0;
    let removed = 0;
    for (const member of members) removed += this.#sql.take.run(entry.id, member).changes;
    this.#resize(entry, -removed);
    return removed;
  }

  raise(key: string, member: string, by: number): number {
    const sum = (this.score(key, member) || 0) + by;
    this.rank(key, [sum, member]);
    return sum;
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry.size === 0) return;
    this.#sql.takeAll.run(entry.id);
    this.#resize(entry, -entry.size);
  }

  score(key: string, member: string): number | Absent {
    const { id, size } = this.#entries.get(key);
    return size === 0 ? false : (this.#sql.score.get(id, member) ?? false);
  }

  highestBelow(key: string, above: number): number | Absent {
    const { id, size } = this.#entries.get(key);
    return size === 0 ? false : (this.#sql.highestBelow.get(id, above) ?? false);
  }

  position(key: string, member: string): number | Absent {
    const score = this.score(key, member);
    if (score === false) return false;
    return this.#sql.position.get(this.#entries.get(key).id, score, member) ?? false;
  }

  lowest(key: string, offset: number, count: number): Scored[] {
    return this.#some(key, count, (id) => this.#sql.lowest.all(id, count, offset));
  }

  highest(key: string, offset: number, count: number): Scored[] {
    return this.#some(key, count, (id) => this.#sql.highest.all(id, count, offset));
  }

  between(key: string, { min, max }: Range, offset: number, count: number): Scored[] {
    return this.#some(key, count, (id) => this.#sql.between.all(id, min, max, count, offset));
  }

  // A negative limit would be none at all to SQLite.
  #some(key: string, count: number, read: (id: number) => Scored[]): Scored[] {
    const { id, size } = this.#entries.get(key);
    return size === 0 || count <= 0 ? [] : read(id);
  }

  #read(key: string): Entry {
    const [id, size] = this.#sql.read.get(key) ?? [0, 0];
    return { key, id, size, changed: false };
  }

  #write(entry: Entry): void {
    if (entry.size > 0) {
      this.#sql.resize.run(entry.size, entry.id);
    } else {
      this.#sql.remove.run(entry.id);
      entry.id = 0;
    }
  }

  #resize(entry: Entry, by: number): void {
    entry.size += by;
    if (by !== 0) this.#entries.change(entry);
  }
}
