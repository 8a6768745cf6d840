import type Database from "better-sqlite3";
import { type Announcement, MISSED } from "../engine.ts";
import { startInterval } from "../timers.ts";
import { isFromSqlite } from "./outage.ts";

/**
 * What was announced, for the subscribers of this and of other processes.
 *
 * A transaction that announces anything leaves one row, in itself. Its own subscribers are told
 * right after the commit; other processes look for new rows many times a second. That costs a
 * writer one row per transaction, which is lost in the noise of the disk even where a transaction
 * is one call. In return nobody needs to know who listens: no register, no heartbeat, no clocks to
 * compare, and a listener that stood still for a while goes on where it was.
 *
 * Only the newest rows stay, so who stands still for too long misses some, as with Redis.
 */

/** How often others' announcements are looked for; docs promise them within 50 ms. */
const LOOK_MS = 20;
/** How much is kept, in characters: some forty thousand announcements. */
const KEPT = 4 * 1024 * 1024;
/** How much is written between one trimming and the next. */
const TRIM = 64 * 1024;

export type Listener = (announcement: Announcement) => void;

/** One transaction's announcements. */
interface Row {
  id: number;
  announced: Announcement[];
}

/** The announcements of one namespace in the file. */
export class Announcements {
  readonly #namespace: string;
  readonly #sql: ReturnType<typeof statements>;
  /** Each listener with the row after which it began to listen. */
  readonly #listeners = new Map<Listener, number>();
  #announced: Announcement[] = [];
  /** To be told after the commit: what others announced before us, and our own. */
  #due: Row[] = [];
  /** The last row that was told or needs no telling. */
  #told = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Database.Database, namespace: string) {
    this.#namespace = namespace;
    this.#sql = statements(db);
  }

  /** Takes what a command announces, on a channel that begins with the namespace. */
  add(channel: string, message: string): void {
    this.#announced.push({ channel: channel.slice(this.#namespace.length + 1), message });
  }

  /** Puts what was announced into the transaction; nothing may come between it and the commit. */
  write(): void {
    if (this.#announced.length === 0) return;
    const last = this.#sql.last.get() ?? 0;
    // Nobody can commit between this look and our row, so the order is that of the commits.
    const others = this.#listeners.size > 0 && last > this.#told ? this.#untold() : [];
    this.#due = [...others, { id: this.#insert(last), announced: this.#announced }];
  }

  #insert(last: number): number {
    const messages = JSON.stringify(
      this.#announced.flatMap(({ channel, message }) => [channel, message]),
    );
    const id = last + messages.length;
    this.#sql.insert.run(id, this.#namespace, messages);
    if (Math.floor(id / TRIM) > Math.floor(last / TRIM)) this.#sql.trim.run(id - KEPT);
    return id;
  }

  /** Tells the listeners what was written, which is committed now. */
  deliver(): void {
    const due = this.#due;
    this.discard();
    this.#tell(due);
  }

  /** Forgets what was not committed. */
  discard(): void {
    this.#announced = [];
    this.#due = [];
  }

  /** Lets the listener hear what is committed from now on. */
  subscribe(listener: Listener): false {
    const last = this.#sql.last.get() ?? 0;
    if (this.#listeners.size === 0) this.#told = last;
    this.#listeners.set(listener, last);
    // It must not keep the process alive, for which listening alone is no reason.
    this.#timer ??= startInterval(() => this.#look(), LOOK_MS).unref();
    return false;
  }

  unsubscribe(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) this.close();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#listeners.clear();
  }

  #look(): void {
    try {
      this.#tell(this.#untold());
    } catch (error) {
      // The next look will find them, and an outage shows itself to those who call.
      if (!isFromSqlite(error)) throw error;
    }
  }

  #untold(): Row[] {
    const rows = this.#sql.after.all(this.#namespace, this.#told);
    return rows.map(([id, messages]) => ({ id, announced: parsed(messages) }));
  }

  #tell(rows: Row[]): void {
    const told = this.#told;
    this.#told = rows.at(-1)?.id ?? told;
    if (this.#told - told > KEPT) this.#tellAll(this.#told, { channel: MISSED, message: "" });
    for (const { id, announced } of rows) {
      for (const announcement of announced) this.#tellAll(id, announcement);
    }
  }

  #tellAll(id: number, announcement: Announcement): void {
    for (const [listener, from] of this.#listeners) {
      if (id > from) tellOne(listener, announcement);
    }
  }
}

// What a listener throws is for its owner to see, and no reason to leave the others untold.
function tellOne(listener: Listener, announcement: Announcement): void {
  try {
    listener({ ...announcement });
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function parsed(messages: string | null): Announcement[] {
  const flat = JSON.parse(messages ?? "[]") as string[];
  const announced: Announcement[] = [];
  for (let i = 0; i < flat.length; i += 2) {
    announced.push({ channel: flat[i] ?? "", message: flat[i + 1] ?? "" });
  }
  return announced;
}

function statements(db: Database.Database) {
  return {
    last: db.prepare<[], number>("SELECT max(id) FROM announcements").pluck(),
    insert: db.prepare<[number, string, string]>(
      "INSERT INTO announcements (id, namespace, messages) VALUES (?, ?, ?)",
    ),
    trim: db.prepare<[number]>("DELETE FROM announcements WHERE id <= ?"),
    after: db
      .prepare<[string, number], [id: number, messages: string | null]>(
        `SELECT id, CASE namespace WHEN ? THEN messages END FROM announcements
         WHERE id > ? ORDER BY id`,
      )
      .raw(),
  };
}
