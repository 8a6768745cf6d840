import type { Announcements } from "./announcements.ts";
import type { Transactions } from "./group-commit.ts";
import { codeOf, explained, isBusy } from "./outage.ts";
import type { SqliteStore } from "./sqlite-store.ts";

interface Parts {
  store: SqliteStore;
  announcements: Announcements;
  file: string;
  /** Throws when the file is no longer the one that was opened. */
  checkFile(): void;
}

/** Transactions in which what commands announce is written, and told after the commit. */
export class AnnouncedTransactions implements Transactions {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get changes(): number {
    return this.#parts.store.changes;
  }

  begin(writing: boolean): void {
    this.#parts.checkFile();
    this.#parts.store.begin(writing);
  }

  commit(): void {
    const { store, announcements, file } = this.#parts;
    announcements.write();
    try {
      store.commit();
    } catch (error) {
      // The log may have got to the disk although saying so failed, and be found there later.
      const uncertain = codeOf(error).startsWith("SQLITE_IOERR");
      throw isBusy(error) ? error : explained(error, file, uncertain);
    }
    announcements.deliver();
  }

  rollback(): void {
    this.#parts.announcements.discard();
    this.#parts.store.rollback();
  }
}
