/**
 * Marks the place of a raw text in what `JSON.stringify` writes. It is new in every process and never
 * leaves it, so no text of a caller can look like one.
 */
const MARK = `raw ${crypto.getRandomValues(new Uint32Array(4)).join("-")} `;

/** The raw texts of the value that is being written. */
let writing: string[] | undefined;

/** A JSON value as its text, for values that must not change: large numbers, order, white space. */
export class RawJson {
  readonly text: string;

  /** The text must be JSON; `rawJson` checks it. */
  constructor(text: string) {
    this.text = text;
  }

  /** The value as JavaScript reads it, which may change numbers; a new copy each time. */
  get value(): unknown {
    return JSON.parse(this.text);
  }

  /** @internal */
  toJSON(): unknown {
    if (writing === undefined) return this.value;
    writing.push(this.text);
    return MARK + (writing.length - 1);
  }
}

/** The text if it is JSON; throws a `SyntaxError` if it is not. */
export function rawJson(text: string): RawJson {
  JSON.parse(text);
  return new RawJson(text);
}

type Replacer = (name: string, value: unknown) => unknown;

/** As `JSON.stringify`, with the text of every `RawJson` in its place. */
export function writeJson(value: unknown, replacer?: Replacer): string | undefined {
  if (value instanceof RawJson) return value.text;
  const raws: string[] = [];
  writing = raws;
  let text: string | undefined;
  try {
    text = JSON.stringify(value, replacer) as string | undefined;
  } finally {
    writing = undefined;
  }
  return text === undefined || raws.length === 0 ? text : filled(text, raws);
}

function filled(text: string, raws: readonly string[]): string {
  const [first, ...rest] = text.split(`"${MARK}`);
  const parts = rest.map((part) => {
    const quote = part.indexOf('"');
    return raws[Number(part.slice(0, quote))]! + part.slice(quote + 1);
  });
  return first + parts.join("");
}
