import type Database from "better-sqlite3";
import type { Absent, Pairs, Range, Store } from "../core/store.ts";
import type { Text } from "../core/text.ts";
import { kindOf, mend, STRIP } from "./damage.ts";
import { Rankings } from "./rankings.ts";
import { Records } from "./records.ts";
import { membersOf, withScores } from "./scored.ts";
import { storeStatements } from "./store-statements.ts";
import { nodeText } from "./text.ts";

/** Told of what a command announces, when it does; whether it will be true is not known yet. */
export type Announce = (channel: string, message: string) => void;

/**
 * The core's Store in SQLite. Commands run between `begin` and `commit`, or `rollback`, which
 * undoes all of them.
 */
export class SqliteStore implements Store {
  readonly text: Text = nodeText;
  readonly #db: Database.Database;
  readonly #sql: ReturnType<typeof storeStatements>;
  readonly #records: Records;
  readonly #rankings: Rankings;
  readonly #announce: Announce;
  #version = 0;
  #writing = false;
  #changes = 0;

  constructor(db: Database.Database, announce: Announce) {
    this.#db = db;
    this.#sql = storeStatements(db);
    this.#records = new Records(db);
    this.#rankings = new Rankings(db);
    this.#announce = announce;
  }

  /** Begins a transaction; one that does not write waits for nobody. */
  begin(writing: boolean): void {
    (writing ? this.#sql.beginWriting : this.#sql.beginReading).run();
    this.#writing = writing;
    // It moves when another connection has committed, and then what we keep may be stale.
    const version = this.#sql.version.get() ?? 0;
    if (version !== this.#version) this.#forget();
    this.#version = version;
  }

  commit(): void {
    this.#flush();
    this.#sql.commit.run();
    this.#records.kept.trim();
    this.#rankings.kept.trim();
  }

  /** Undoes everything since `begin`, if SQLite has not done so by itself. */
  rollback(): void {
    this.#forget();
    if (this.#db.inTransaction) this.#sql.rollback.run();
  }

  /** Grows whenever a command writes, so that one can tell whether it has. */
  get changes(): number {
    return this.#changes;
  }

  field(record: string, name: string): string | Absent {
    return this.#records.field(record, name);
  }

  fields(record: string, names: string[]): (string | Absent)[] {
    return this.#records.fields(record, names);
  }

  fieldIfSound(record: string, name: string): string | Absent | undefined {
    return this.#records.isSound(record) ? this.#records.field(record, name) : undefined;
  }

  fieldsIfSound(record: string, names: string[]): (string | Absent)[] {
    return this.#records.isSound(record) ? this.#records.fields(record, names) : [];
  }

  allIfSound(record: string): string[] {
    return this.#records.isSound(record) ? this.#records.all(record) : [];
  }

  all(record: string): string[] {
    return this.#records.all(record);
  }

  set(record: string, pairs: Pairs): void {
    this.#change();
    this.#records.set(record, pairs);
  }

  unset(record: string, names: string[]): void {
    this.#change();
    this.#records.unset(record, names);
  }

  increase(record: string, name: string, by: number): number {
    this.#change();
    return this.#records.increase(record, name, by);
  }

  exists(key: string): boolean {
    return this.#records.has(key) || this.#rankings.size(key) > 0;
  }

  kind(key: string): string {
    this.#flush();
    return kindOf(this.#tables, key);
  }

  mend(key: string, expected: "hash" | "zset" | "string"): void {
    this.#change();
    this.#flush();
    mend(this.#tables, key, expected);
  }

  existsAny(keys: string[]): boolean {
    return keys.some((key) => this.exists(key));
  }

  remove(keys: string[]): void {
    this.#change();
    for (const key of keys) {
      this.#records.remove(key);
      this.#rankings.remove(key);
    }
  }

  append(strip: string, more: string): number {
    const all = (this.read(strip) || "") + more;
    this.set(strip, [STRIP, all]);
    return Buffer.byteLength(all);
  }

  read(strip: string): string | Absent {
    return this.#records.field(strip, STRIP);
  }

  rank(ranking: string, pairs: Pairs): void {
    this.#change();
    this.#rankings.rank(ranking, pairs);
  }

  unrank(ranking: string, members: string[]): number {
    this.#change();
    return this.#rankings.unrank(ranking, members);
  }

  /** Its trees do not mind. */
  crowd(_ranking: string): void {}

  takeLowest(ranking: string, count: number): string[] {
    this.#change();
    const members = membersOf(this.#rankings.lowest(ranking, 0, count));
    this.#rankings.unrank(ranking, members);
    return members;
  }

  score(ranking: string, member: string): number | Absent {
    return this.#rankings.score(ranking, member);
  }

  raise(ranking: string, member: string, by: number): number {
    this.#change();
    return this.#rankings.raise(ranking, member, by);
  }

  size(ranking: string): number {
    return this.#rankings.size(ranking);
  }

  sizeBetween(ranking: string, min: number, max: number): number {
    return this.#rankings.sizeBetween(ranking, min, max);
  }

  lowest(ranking: string, offset: number, count: number): string[] {
    return membersOf(this.#rankings.lowest(ranking, offset, count));
  }

  highest(ranking: string, offset: number, count: number): string[] {
    return membersOf(this.#rankings.highest(ranking, offset, count));
  }

  lowestScored(ranking: string, offset: number, count: number): string[] {
    return withScores(this.#rankings.lowest(ranking, offset, count));
  }

  highestScored(ranking: string, offset: number, count: number): string[] {
    return withScores(this.#rankings.highest(ranking, offset, count));
  }

  between(ranking: string, range: Range, offset: number, count: number): string[] {
    return membersOf(this.#rankings.between(ranking, range, offset, count));
  }

  betweenScored(ranking: string, range: Range, offset: number, count: number): string[] {
    return withScores(this.#rankings.between(ranking, range, offset, count));
  }

  highestBelow(ranking: string, above: number): number | Absent {
    return this.#rankings.highestBelow(ranking, above);
  }

  position(ranking: string, member: string): number | Absent {
    return this.#rankings.position(ranking, member);
  }

  /** The cursor is the last key that was given. */
  keys(prefix: string, cursor: string, count: number): { cursor: string; keys: string[] } {
    this.#flush();
    const after = cursor === "0" ? prefix : cursor;
    const next = this.#sql.keys.all({ after, count });
    const keys = next.filter((key) => key.startsWith(prefix));
    const last = next.length < count || keys.length < next.length ? undefined : keys.at(-1);
    return { cursor: last ?? "0", keys };
  }

  /** Who listens in another process is not known. */
  mayHear(_channel: string): boolean {
    return true;
  }

  announce(channel: string, message: string): boolean {
    this.#change();
    this.#announce(channel, message);
    return true;
  }

  get #tables() {
    return { records: this.#records, rankings: this.#rankings };
  }

  #change(): void {
    // It would wait for other writers, or fail, where a reader must not.
    if (!this.#writing) throw new Error("A command that is declared as reading tried to write");
    this.#changes += 1;
  }

  #flush(): void {
    this.#records.kept.flush();
    this.#rankings.kept.flush();
  }

  #forget(): void {
    this.#records.kept.forget();
    this.#rankings.kept.forget();
  }
}
