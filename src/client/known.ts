import { unknownOption } from "./nearest.ts";
import { invalid } from "./times.ts";

/** Every option of a type by name; the compiler notices when one is missing here or too many. */
export type Known<Options> = { readonly [Name in keyof Required<Options>]: true };

/**
 * Rejects options that do not exist: a misspelt one would be ignored, and the job would run at
 * another time or in another place than its author meant. `where` is such as `of put`.
 */
export function checkKnown(
  where: string,
  options: object,
  known: Readonly<Record<string, true>>,
): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw invalid(`The options ${where} must be an object, not ${kindOf(options)}`);
  }
  for (const name in options) {
    if (known[name] !== true) throw invalid(unknownOption(where, name, Object.keys(known)));
  }
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return `a ${typeof value}`;
}
