import { invalid, type Moment, milliseconds, momentMs } from "../client/times.ts";

/** What was typed behind `--`, read as what it should be; what it is not is refused by its name. */
export class Flags {
  readonly #typed: Readonly<Record<string, unknown>>;

  /** Takes them as commander gives them. */
  constructor(typed: Readonly<Record<string, unknown>>) {
    this.#typed = typed;
  }

  is(name: string): boolean {
    return this.#typed[camelCase(name)] === true;
  }

  text(name: string): string | undefined {
    const value = this.#typed[camelCase(name)];
    if (typeof value !== "string") return undefined;
    if (value !== "") return value;
    throw invalid(`--${name} says nothing: leave it out, or give it a value`);
  }

  names(name: string): string[] | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : namesIn(text, `--${name}`);
  }

  whole(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : wholeIn(text, `--${name}`);
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : numberIn(text, `--${name}`);
  }

  /** A length of time, as text that has a unit. */
  time(name: string): string | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : timeIn(text, `--${name}`);
  }

  /** A moment: a date, a date and time, or `2h` for so long ago. */
  moment(name: string): Moment | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^[\d.]+\s*(ms|s|m|h|d|w)\b/.test(text)) return Date.now() - milliseconds(text, name);
    if (!/^\d{4}-/.test(text) || Number.isNaN(Date.parse(text))) {
      throw invalid(
        `--${name} must be a date and time such as 2031-01-31T06:00:00Z, or a time ago such as 2h`,
      );
    }
    return momentMs(text, `--${name}`);
  }
}

const camelCase = (name: string) => name.replaceAll(/-(.)/g, (_, one: string) => one.toUpperCase());

/** Names with commas between them. */
export function namesIn(list: string, from: string): string[] {
  const found = list.split(",").map((name) => name.trim());
  if (found.every((name) => name !== "")) return found;
  throw invalid(`${from} must be names with commas between them, such as a,b`);
}

export function wholeIn(text: string, from: string): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  throw invalid(`${from} must be a whole number, not ${JSON.stringify(text)}`);
}

export function numberIn(text: string, from: string): number {
  if (/^[+-]?\d{1,12}(\.\d{1,9})?$/.test(text.trim())) return Number(text);
  throw invalid(`${from} must be a number, not ${JSON.stringify(text)}`);
}

export function timeIn(text: string, from: string): string {
  if (/^\d+$/.test(text)) throw invalid(`${from} needs a unit: ${text}s or ${text}ms`);
  try {
    milliseconds(text, from);
  } catch {
    // The reason names milliseconds, which are a number in a program and need their unit here.
    throw invalid(`${from} must be a time such as 30s or 1h 30m, not ${JSON.stringify(text)}`);
  }
  return text;
}
