import { plain } from "../plain.ts";
import { COLOURS, type Colour, cut, hasColours, padded } from "../terminal.ts";

/** A line of the screen: plain text, and how it looks. */
export interface Row {
  text: string;
  colour?: Colour | undefined;
  isChosen?: boolean;
}

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";

/** Keys by what terminals send for them; any other is itself. */
const KEYS: Readonly<Record<string, string>> = {
  "\u001b[A": "up",
  "\u001bOA": "up",
  "\u001b[B": "down",
  "\u001bOB": "down",
  "\u001b[5~": "page-up",
  "\u001b[6~": "page-down",
  "\r": "enter",
  "\n": "enter",
  "\u001b": "back",
  "\u007f": "back",
  "\t": "next",
  "\u0003": "quit",
  k: "up",
  j: "down",
};

/** Who types fast sends several keys at once. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what keys are.
const ONE_KEY = /\u001b\[[\d;]*[A-Za-z~]|\u001bO[A-Z]|[\s\S]/gu;

/** The whole terminal, taken over while it is open; whatever happens, it is given back. */
export class Screen {
  readonly #onKey: (key: string) => void;
  readonly #onResize: () => void;
  readonly #leave = () => this.close();
  readonly #hear = (sent: string) => {
    for (const key of sent.match(ONE_KEY) ?? []) this.#onKey(KEYS[key] ?? key);
  };
  #isOpen = false;

  constructor(on: { key: (key: string) => void; resize: () => void }) {
    this.#onKey = on.key;
    this.#onResize = on.resize;
  }

  get width(): number {
    return process.stdout.columns || 80;
  }

  get height(): number {
    return process.stdout.rows || 24;
  }

  open(): void {
    this.#isOpen = true;
    process.on("exit", this.#leave);
    process.stdout.write(ENTER);
    process.stdout.on("resize", this.#onResize);
    process.stdin.setRawMode(true).setEncoding("utf8").resume();
    process.stdin.on("data", this.#hear);
    process.stdin.on("end", () => this.#onKey("quit"));
  }

  draw(rows: readonly Row[]): void {
    if (!this.#isOpen) return;
    const shown = rows.slice(0, this.height).map((row) => `${this.#painted(row)}\u001b[K`);
    process.stdout.write(`\u001b[H${shown.join("\r\n")}\u001b[J`);
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    process.off("exit", this.#leave);
    process.stdin.off("data", this.#hear);
    process.stdin.setRawMode(false).pause();
    process.stdout.off("resize", this.#onResize);
    process.stdout.write(LEAVE);
  }

  #painted({ text, colour, isChosen = false }: Row): string {
    const shown = cut(plain(text), this.width);
    // What is chosen must be seen without colours as well.
    if (isChosen) return `\u001b[7m${padded(shown, this.width)}\u001b[0m`;
    if (colour === undefined || !hasColours()) return shown;
    return `\u001b[${COLOURS[colour]}m${shown}\u001b[0m`;
  }
}
