import { type CallLimits, type Calls, LIMITS } from "./calls.ts";
import type { Note } from "./event-types.ts";
import { checkKnown, type Known } from "./known.ts";
import { momentOf } from "./times.ts";

/** A disagreement that check found. */
export interface Finding {
  /** The key or the job that it is about. */
  about: string;
  problem: string;
}

export interface CheckOptions extends CallLimits {
  /** Mends what is found. */
  repair?: boolean;
  /** Hears of each slice: how many keys were looked at so far, and what was found. */
  onProgress?: (progress: { looked: number; found: number }) => void;
}

const CHECK: Known<CheckOptions> = { repair: true, onProgress: true, ...LIMITS };

interface CheckJson {
  cursor: string;
  problems: Finding[];
  checked: number;
}

/** Looks after a namespace: what workers and servers do by themselves, and what an operator asks. */
export class Maintenance {
  readonly #calls: Calls;

  /** @internal */
  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /**
   * Does what time demands of all queues, a slice at a time. Tells whether there is more to do at
   * once, and when it is needed next.
   */
  async tick(limits?: CallLimits): Promise<{ more: boolean; next: Date | undefined }> {
    const reply = await this.#calls.repeat("tick", [], limits);
    const { more, next } = JSON.parse(reply as string) as { more: boolean; next: number | null };
    return { more, next: momentOf(next) };
  }

  /** Tells all who follow the log what an operator did; nothing is kept of it. */
  async note(note: Note, limits?: CallLimits): Promise<void> {
    const { by, action, facts, ...rest } = note;
    const words: (string | number)[] = [by, action];
    for (const [name, value] of Object.entries(rest)) {
      if (value !== undefined) words.push(name, value);
    }
    if (facts !== undefined) words.push("facts", JSON.stringify(facts));
    await this.#calls.write("note", words, limits);
  }

  /** Walks everything there is, slice by slice, and tells every disagreement. */
  async check(options: CheckOptions = {}): Promise<Finding[]> {
    checkKnown("of check", options, CHECK);
    const { repair = false, onProgress, ...limits } = options;
    const found: Finding[] = [];
    let looked = 0;
    let cursor = "0";
    do {
      const words = repair ? [cursor, 1] : [cursor];
      const reply = await this.#calls.repeat("check", words, limits);
      const slice = JSON.parse(reply as string) as CheckJson;
      found.push(...slice.problems);
      looked += slice.checked;
      cursor = slice.cursor;
      onProgress?.({ looked, found: found.length });
    } while (cursor !== "0");
    return found;
  }
}
