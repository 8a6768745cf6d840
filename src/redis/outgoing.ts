import { Command } from "ioredis";
import type { Reply } from "../engine.ts";
import { type Asker, wireText } from "./wire.ts";

/** A command that ioredis sends, to whichever node of a cluster it is for. */
export class Outgoing extends Command {
  /**
   * Whether it left, after which it may be carried out: ioredis asks for the bytes of a command only
   * to write them.
   */
  written = false;
  readonly #words: readonly string[];

  /** The words are flat already; ioredis would make sure of it at a tenth of the cost of a put. */
  constructor(words: readonly string[], asker: Asker) {
    super(words[0] ?? "");
    this.args = words.slice(1);
    this.#words = words;
    this.promise.then(
      (reply) => asker.answered(replyFrom(reply)),
      (error: Error) => asker.unanswered(error),
    );
  }

  override toWritable(): string {
    this.written = true;
    return wireText(this.#words);
  }
}

/** Bytes are texts, and where Redis says nil the core says `false`. */
function replyFrom(value: unknown): Reply {
  if (Array.isArray(value)) return value.map(replyFrom);
  if (Buffer.isBuffer(value)) return value.toString();
  return value === null ? false : (value as Reply);
}
