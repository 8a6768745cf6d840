import type Database from "better-sqlite3";
import type { Absent, Pairs } from "../core/store.ts";
import { WriteBack } from "./write-back.ts";

/** In characters. A longer value lies in a row of its own, to be written only when it changes. */
const LONG = 1024;

/** A text, or the row that holds it. */
type Value = string | number;

interface Entry {
  key: string;
  /** Where it lies; 0 when it is not in the file. */
  id: number;
  fields: Map<string, Value>;
  /** The rows of its long values in the file, some of which may be in `fields` no more. */
  texts: number[];
  changed: boolean;
}

/** The records of the file. */
export class Records {
  readonly #sql: ReturnType<typeof statements>;
  readonly #entries: WriteBack<Entry>;

  constructor(db: Database.Database) {
    this.#sql = statements(db);
    this.#entries = new WriteBack({
      read: (key) => parsed(key, this.#sql.read.get(key)),
      write: (entry) => this.#write(entry),
    });
  }

  get kept(): WriteBack<Entry> {
    return this.#entries;
  }

  has(key: string): boolean {
    return this.#entries.get(key).fields.size > 0;
  }

  field(key: string, name: string): string | Absent {
    return this.#text(this.#entries.get(key).fields.get(name));
  }

  fields(key: string, names: string[]): (string | Absent)[] {
    const { fields } = this.#entries.get(key);
    return names.map((name) => this.#text(fields.get(name)));
  }

  all(key: string): string[] {
    const all: string[] = [];
    for (const [name, value] of this.#entries.get(key).fields) {
      all.push(name, this.#text(value) || "");
    }
    return all;
  }

  set(key: string, pairs: Pairs): void {
    if (pairs.length === 0) return;
    const entry = this.#entries.get(key);
    for (let i = 0; i < pairs.length; i += 2) {
      entry.fields.set(String(pairs[i]), String(pairs[i + 1]));
    }
    this.#entries.change(entry);
  }

  unset(key: string, names: string[]): void {
    const entry = this.#entries.get(key);
    for (const name of names) {
      if (entry.fields.delete(name)) this.#entries.change(entry);
    }
  }

  increase(key: string, name: string, by: number): number {
    const sum = Number(this.field(key, name) || "0") + by;
    this.set(key, [name, sum]);
    return sum;
  }

  remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry.fields.size === 0) return;
    entry.fields.clear();
    this.#entries.change(entry);
  }

  #text(value: Value | undefined): string | Absent {
    if (value === undefined) return false;
    return typeof value === "string" ? value : (this.#sql.readText.get(value) ?? false);
  }

  #write(entry: Entry): void {
    const fields = this.#stored(entry);
    if (entry.fields.size === 0) {
      if (entry.id !== 0) this.#sql.remove.run(entry.id);
      entry.id = 0;
    } else if (entry.id === 0) {
      entry.id = Number(this.#sql.insert.run(entry.key, fields).lastInsertRowid);
    } else {
      this.#sql.update.run(fields, entry.id);
    }
  }

  /** The fields as their row has them, after long values have got their own rows or left them. */
  #stored(entry: Entry): string {
    const flat: Value[] = [];
    const used: number[] = [];
    for (const [name, value] of entry.fields) {
      const stored = isLong(value) ? this.#storeText(value) : value;
      if (stored !== value) entry.fields.set(name, stored);
      if (typeof stored === "number") used.push(stored);
      flat.push(name, stored);
    }
    for (const id of entry.texts) {
      if (!used.includes(id)) this.#sql.removeText.run(id);
    }
    entry.texts = used;
    return JSON.stringify(flat);
  }

  #storeText(text: string): number {
    return Number(this.#sql.insertText.run(text).lastInsertRowid);
  }
}

function isLong(value: Value): value is string {
  return typeof value === "string" && value.length > LONG;
}

function parsed(key: string, row: [id: number, fields: string] | undefined): Entry {
  const [id, json] = row ?? [0, "[]"];
  const entry: Entry = { key, id, fields: new Map(), texts: [], changed: false };
  const flat = JSON.parse(json) as Value[];
  for (let i = 0; i < flat.length; i += 2) {
    const value = flat[i + 1] as Value;
    entry.fields.set(flat[i] as string, value);
    if (typeof value === "number") entry.texts.push(value);
  }
  return entry;
}

function statements(db: Database.Database) {
  return {
    read: db
      .prepare<[string], [number, string]>("SELECT id, fields FROM records WHERE key = ?")
      .raw(),
    insert: db.prepare<[string, string]>("INSERT INTO records (key, fields) VALUES (?, ?)"),
    update: db.prepare<[string, number]>("UPDATE records SET fields = ? WHERE id = ?"),
    remove: db.prepare<[number]>("DELETE FROM records WHERE id = ?"),
    readText: db.prepare<[number], string>("SELECT text FROM texts WHERE id = ?").pluck(),
    insertText: db.prepare<[string]>("INSERT INTO texts (text) VALUES (?)"),
    removeText: db.prepare<[number]>("DELETE FROM texts WHERE id = ?"),
  };
}
