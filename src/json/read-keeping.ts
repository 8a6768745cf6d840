import { type RawJson, rawJson } from "./raw-json.ts";
import { afterSpace, eachEntry, endOfValue } from "./scan.ts";

/** Which values of a JSON text are kept as text: this one, or some of its members or items. */
export type Keep =
  | "raw"
  | { readonly members: ReadonlyMap<string, Keep> }
  | { readonly items: Keep };

/**
 * Reads JSON, but for the values that `keep` names, which become `RawJson`. `parse` reads the rest of
 * the text, in which a number stands for each of these values. So everything `parse` refuses is
 * still refused, and of duplicate members the last one counts.
 */
export function readKeeping(
  text: string,
  keep: Keep | undefined,
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  if (keep === undefined) return parse(text);
  const cut = new Cut(text);
  const rest = cut.rest(keep);
  return placed(parse(rest), keep, cut.kept);
}

/**
 * Cuts values out of a text. What is cut out is JSON. If the rest is JSON as well, with a number in
 * place of each value, so is the whole text.
 */
class Cut {
  readonly kept: RawJson[] = [];
  readonly #text: string;
  #rest = "";
  #from = 0;

  constructor(text: string) {
    this.#text = text;
  }

  rest(keep: Keep): string {
    this.#value(keep, afterSpace(this.#text, 0));
    return this.#rest + this.#text.slice(this.#from);
  }

  /** Goes over the value at `at`, and returns the position after it. */
  #value(keep: Keep | undefined, at: number): number {
    if (keep === "raw") return this.#cutOut(at);
    const first = this.#text[at];
    if (keep !== undefined && "members" in keep && first === "{") {
      return eachEntry(this.#text, at, (name, from) => this.#value(keep.members.get(name!), from));
    }
    if (keep !== undefined && "items" in keep && first === "[") {
      return eachEntry(this.#text, at, (_, from) => this.#value(keep.items, from));
    }
    return endOfValue(this.#text, at);
  }

  #cutOut(at: number): number {
    const end = endOfValue(this.#text, at);
    this.#rest += this.#text.slice(this.#from, at) + this.kept.length;
    this.kept.push(rawJson(this.#text.slice(at, end)));
    this.#from = end;
    return end;
  }
}

/** The value with what was cut out of it in place of the numbers. */
function placed(value: unknown, keep: Keep, kept: readonly RawJson[]): unknown {
  if (keep === "raw") return kept[value as number];
  if ("items" in keep) {
    return Array.isArray(value) ? value.map((one) => placed(one, keep.items, kept)) : value;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, one]) => {
    const inner = keep.members.get(name);
    return [name, inner === undefined ? one : placed(one, inner, kept)] as const;
  });
  return Object.fromEntries(entries);
}
