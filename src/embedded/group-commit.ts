import type { Reply } from "../core/text.ts";
import { startTimer } from "../timers.ts";
import { explained, isBusy, isFromSqlite, outage } from "./outage.ts";

/**
 * All calls made in one turn of the event loop share one transaction, and are answered after it.
 *
 * Waiting for the disk takes ten times as long as a call, so this is what makes full durability
 * cheap. The turn ends with `setImmediate`: it comes after all input that is ready was read, so
 * that calls of many connections meet; a microtask would part them.
 *
 * A call that is refused must leave nothing. Commands refuse before they write, so as a rule there
 * is nothing to undo, and no savepoint is paid for. If one fails after it wrote, the transaction
 * is thrown away, and its calls, none of them answered yet, are made again with one each.
 */

/** Bounds of a transaction, so that other processes and this one's event loop get their turn. */
const GROUP_CALLS = 500;
const GROUP_MS = 25;
/** How long a call waits for other processes before it is told so. */
const BUSY_MS = 5000;
const MAX_DELAY_MS = 25;

/** Something to be done inside a transaction. It may be done again if that had to be given up. */
export interface Task {
  writes: boolean;
  run(): Reply;
}

/** The transactions of one connection. */
export interface Transactions {
  begin(writing: boolean): void;
  commit(): void;
  rollback(): void;
  /** Grows whenever a task writes. */
  readonly changes: number;
}

interface Waiting {
  task: Task;
  since: number;
  /** Whether it must have its transaction for itself. */
  alone: boolean;
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

/** A task failed after it had written. */
class Spoiled extends Error {}

export class GroupCommit {
  readonly #transactions: Transactions;
  readonly #file: string;
  readonly #waiting: Waiting[] = [];
  #scheduled = false;
  /** How often in a row another process was in the way. */
  #delays = 0;

  constructor(transactions: Transactions, file: string) {
    this.#transactions = transactions;
    this.#file = file;
  }

  /** Carries the task out behind all earlier ones; settles when that is durable. */
  add(task: Task): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ task, since: performance.now(), alone: false, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#scheduled = false;
    const group = this.#waiting.slice(0, this.#waiting[0]?.alone ? 1 : GROUP_CALLS);
    if (group.length === 0) return;
    try {
      const settlements = this.#carryOut(group);
      this.#delays = 0;
      this.#waiting.splice(0, settlements.length);
      for (const settle of settlements) settle();
    } catch (error) {
      this.#giveUp();
      this.#recover(group, error);
    }
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** Carries out as many as fit in the time, and returns how each is to be settled. */
  #carryOut(group: Waiting[]): (() => void)[] {
    this.#transactions.begin(group.some(({ task }) => task.writes));
    const until = performance.now() + GROUP_MS;
    const settlements: (() => void)[] = [];
    for (const waiting of group) {
      settlements.push(this.#attempt(waiting));
      if (performance.now() > until) break;
    }
    this.#transactions.commit();
    return settlements;
  }

  #attempt({ task, resolve, reject }: Waiting): () => void {
    const before = this.#transactions.changes;
    try {
      const reply = task.run();
      return () => resolve(reply);
    } catch (error) {
      if (isFromSqlite(error)) throw error;
      if (this.#transactions.changes !== before) throw new Spoiled("", { cause: error });
      return () => reject(error);
    }
  }

  #giveUp(): void {
    try {
      this.#transactions.rollback();
    } catch {
      // Then the next one cannot begin, which says why to its calls, and this is tried again.
    }
  }

  #recover(group: Waiting[], error: unknown): void {
    if (isBusy(error)) {
      this.#waitForOthers();
    } else if (error instanceof Spoiled && group.length > 1) {
      for (const waiting of group) waiting.alone = true;
    } else {
      const reason = error instanceof Spoiled ? error.cause : explained(error, this.#file);
      this.#rejectFirst(group.length, reason);
    }
  }

  #waitForOthers(): void {
    const tooLong = performance.now() - BUSY_MS;
    const late = this.#waiting.filter(({ since }) => since < tooLong);
    this.#rejectFirst(late.length, outage("BUSY", this.#file));
    this.#scheduled = true;
    this.#delays += 1;
    // At random, lest two processes keep meeting; at first often, since most locks are short.
    startTimer(() => this.#turn(), 1 + Math.random() * Math.min(MAX_DELAY_MS, 3 + this.#delays));
  }

  #rejectFirst(count: number, reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0, count)) reject(reason);
  }
}
