import assert from "node:assert";
import { BATCH_RULES } from "./model/batches.ts";
import { BULK_RULES } from "./model/bulk.ts";
import { type Answered, No, type Rule } from "./model/call.ts";
import { CHANGING_RULES } from "./model/changing.ts";
import { CRON_RULES } from "./model/crons.ts";
import { ENDING_RULES } from "./model/ending.ts";
import { PUTTING_RULES } from "./model/putting.ts";
import { READING_RULES } from "./model/reading.ts";
import { RECURRING_RULES } from "./model/recurring.ts";
import { SEARCHING_RULES } from "./model/searching.ts";
import { seenState, World } from "./model/world.ts";

const RULES: Record<string, Rule> = {
  ...BATCH_RULES,
  ...BULK_RULES,
  ...CHANGING_RULES,
  ...CRON_RULES,
  ...PUTTING_RULES,
  ...READING_RULES,
  ...RECURRING_RULES,
  ...ENDING_RULES,
  ...SEARCHING_RULES,
};

/** Commands that the model says nothing about; they change nothing that it knows of. */
export const UNMODELLED = ["check", "dump", "layout", "restore"];

export const isModelled = (command: string): boolean => Object.hasOwn(RULES, command);

/** A call as it was made. */
export interface Played {
  command: string;
  args: string[];
  now: number;
}

/** How a call ended: with a reply, or refused. */
export type Ended = { reply: Answered } | { code: string; reason: string };

/**
 * The reference model: what the queues must do, written from the specification alone. It is played
 * beside the engines, and throws when an answer is not what it should be.
 */
export class Model {
  readonly world = new World();

  play({ command, args, now }: Played, ended: Ended): void {
    const rule = RULES[command];
    if (rule === undefined) return;
    const expected = judged(() => rule(this.world, now, args));
    if ("code" in ended) {
      const code = expected instanceof No ? expected.code : "an answer";
      assert.equal(ended.code, code, `is refused with ${ended.code}, expected ${code}`);
    } else if (expected instanceof No) {
      assert.fail(`is answered, expected ${expected.code}`);
    } else {
      expected(ended.reply);
    }
  }

  stateOf(jid: string, now: number): string {
    const job = this.world.jobs.get(jid);
    return job === undefined ? "none" : seenState(job, now);
  }
}

function judged<T>(judge: () => T): T | No {
  try {
    return judge();
  } catch (error) {
    if (error instanceof No) return error;
    throw error;
  }
}
