import type Database from "better-sqlite3";
import { damagedRefusal } from "../core/damage.ts";
import { refuseWith } from "../core/refuse.ts";
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
  /** Whether its row cannot be read. */
  isDamaged: boolean;
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
    const { fields, isDamaged } = this.#entries.get(key);
    return fields.size > 0 || isDamaged;
  }

  /** Whether a row is there and holds nothing, or what cannot be read. */
  isUnreadable(key: string): boolean {
    const { fields, id, isDamaged } = this.#entries.get(key);
    return isDamaged || (id !== 0 && fields.size === 0);
  }

  /** Names of fields whose long values are lost. */
  lost(key: string): string[] {
    const names: string[] = [];
    for (const [name, value] of this.#entries.get(key).fields) {
      if (this.#text(value) === false) names.push(name);
    }
    return names;
  }

  isSound(key: string): boolean {
    return !this.#entries.get(key).isDamaged;
  }

  field(key: string, name: string): string | Absent {
    return this.#text(this.#entry(key).fields.get(name));
  }

  fields(key: string, names: string[]): (string | Absent)[] {
    const { fields } = this.#entry(key);
    return names.map((name) => this.#text(fields.get(name)));
  }

  all(key: string): string[] {
    const all: string[] = [];
    for (const [name, value] of this.#entry(key).fields) {
      const text = this.#text(value);
      // Its row may be lost.
      if (text !== false) all.push(name, text);
    }
    return all;
  }

  set(key: string, pairs: Pairs): void {
    if (pairs.length === 0) return;
    const entry = this.#entry(key);
    for (let i = 0; i < pairs.length; i += 2) {
      entry.fields.set(String(pairs[i]), String(pairs[i + 1]));
    }
    this.#entries.change(entry);
  }

  unset(key: string, names: string[]): void {
    const entry = this.#entry(key);
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
    if (entry.id === 0 && entry.fields.size === 0) return;
    entry.fields.clear();
    entry.isDamaged = false;
    this.#entries.change(entry);
  }

  #entry(key: string): Entry {
    const entry = this.#entries.get(key);
    if (entry.isDamaged) refuseWith(damagedRefusal(key, "cannot be read"));
    return entry;
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
  const entry: Entry = {
    key,
    id,
    fields: new Map(),
    texts: [],
    changed: false,
    isDamaged: false,
  };
  const flat = listIn(json);
  if (flat === undefined) {
    entry.isDamaged = true;
    return entry;
  }
  for (let i = 0; i < flat.length; i += 2) {
    const value = flat[i + 1] as Value;
    entry.fields.set(flat[i] as string, value);
    if (typeof value === "number") entry.texts.push(value);
  }
  return entry;
}

/** The names and values of a row; undefined if it is spoilt. */
function listIn(json: string): Value[] | undefined {
  try {
    const flat: unknown = JSON.parse(json);
    return Array.isArray(flat) && flat.length % 2 === 0 && flat.every(isStorable)
      ? flat
      : undefined;
  } catch {
    return undefined;
  }
}

/** A name or value is a text, or the number of a row. */
const isStorable = (value: unknown, at: number) =>
  typeof value === "string" || (at % 2 === 1 && Number.isSafeInteger(value));

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
