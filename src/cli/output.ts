import { plain } from "./plain.ts";

/** The one place that results leave by: JSON for programs, or lines for people. */
export class Output {
  readonly isJson: boolean;
  readonly #write: (text: string) => void;

  constructor(isJson: boolean, write = (text: string) => void process.stdout.write(text)) {
    this.isJson = isJson;
    this.#write = write;
  }

  /** Tells a result: the value on one line, or the lines, which must be plain already. */
  show(value: unknown, lines: () => readonly string[]): void {
    if (this.isJson) this.json(value);
    else this.lines(lines());
  }

  /** What a terminal would obey can only stand in texts, where JSON writes it out the same way. */
  json(value: unknown): void {
    this.#write(`${plain(JSON.stringify(value))}\n`);
  }

  /** A text byte for byte, but for what a terminal would obey if it goes to one. */
  raw(text: string): void {
    this.#write(`${process.stdout.isTTY === true ? plain(text) : text}\n`);
  }

  lines(lines: readonly string[]): void {
    if (lines.length > 0) this.#write(`${lines.join("\n")}\n`);
  }

  /** A sentence for people; made plain. */
  say(sentence: string): void {
    if (!this.isJson) this.#write(`${plain(sentence)}\n`);
  }
}

/**
 * Resolves when all that was said has left. A pipe takes no more than its reader has left room for,
 * and to exit is to drop the rest.
 */
export async function written(): Promise<void> {
  const taken = (stream: NodeJS.WriteStream) =>
    new Promise<void>((resolve) => stream.write("", () => resolve()));
  await Promise.all([process.stdout, process.stderr].map(taken));
}

/** A reader that has seen enough, such as `head`, is no error. */
export function leaveQuietly(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
}
