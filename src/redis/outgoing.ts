import { Command } from "ioredis";

/** Knows whether it left: ioredis asks for the bytes of a command only to write them. */
export class Outgoing extends Command {
  /** From here on it may have been carried out. */
  written = false;

  /** The words are flat already; ioredis would make sure of it at a tenth of the cost of a put. */
  constructor(name: string, words: string[]) {
    super(name, [], { replyEncoding: "utf8" });
    this.args = words;
  }

  /** Joined at once: put together piece by piece, a thousand jobs leave much to be cleared away. */
  override toWritable(): string {
    this.written = true;
    const lines = [`*${this.args.length + 1}`, sizeLine(this.name), this.name];
    for (const word of this.args as string[]) lines.push(sizeLine(word), word);
    lines.push("");
    return lines.join("\r\n");
  }
}

/** What stands before a word on the wire: most are short. */
const SIZE_LINES = Array.from({ length: 256 }, (_, bytes) => `$${bytes}`);

function sizeLine(word: string): string {
  const bytes = Buffer.byteLength(word);
  return SIZE_LINES[bytes] ?? `$${bytes}`;
}
