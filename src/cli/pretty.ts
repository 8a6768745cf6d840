import { plain } from "./plain.ts";

/** A line of pino, read. */
interface Line {
  level: string;
  time: string;
  msg?: string;
  err?: { type?: string; message?: string; stack?: string };
  [fact: string]: unknown;
}

const COLOURS: Readonly<Record<string, number>> = { debug: 90, info: 32, warn: 33, error: 31 };
/** Characters of a fact that are shown. */
const MAX_FACT = 400;

/** Writes pino's lines for people: the time, the level, the sentence, the facts. */
export class Pretty {
  readonly #out: { write(text: string): unknown };
  readonly #options: { colours: boolean; stacks: boolean };

  constructor(
    out: { write(text: string): unknown },
    options: { colours: boolean; stacks: boolean },
  ) {
    this.#out = out;
    this.#options = options;
  }

  write(json: string): void {
    const { level, time, msg = "", err, worker: _, ...facts } = JSON.parse(json) as Line;
    const at = new Date(time);
    const clock = `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, "0")}`;
    const error = err === undefined ? {} : { err: `${err.type}: ${err.message}` };
    const told = Object.entries({ ...facts, ...error }).map(factOf);
    const dim = this.#painted(told.join(" "), 90);
    const name = this.#painted(level.toUpperCase().padEnd(5), COLOURS[level] ?? 0);
    this.#out.write(`${clock} ${name} ${plain(msg)}${told.length === 0 ? "" : `  ${dim}`}\n`);
    if (this.#options.stacks && typeof err?.stack === "string") {
      for (const line of err.stack.split("\n")) this.#out.write(`    ${plain(line)}\n`);
    }
  }

  #painted(text: string, colour: number): string {
    return this.#options.colours ? `\u001b[${colour}m${text}\u001b[0m` : text;
  }
}

function factOf([name, value]: [string, unknown]): string {
  const isList =
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string");
  const text = isList ? value.join(",") : typeof value === "string" ? value : JSON.stringify(value);
  const cut = text.length > MAX_FACT ? `${text.slice(0, MAX_FACT)}...` : text;
  return plain(`${name}=${/^[^\s"=]+$/.test(cut) ? cut : JSON.stringify(cut)}`);
}
