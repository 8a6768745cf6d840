import { afterSpace, endOfValue } from "./scan.ts";

/** Deeper lists and objects are not indented further, so that the length of the text has a bound. */
const MAX_INDENT = 40;

/**
 * The JSON text with every member and item on a line of its own, as `JSON.stringify` with an indent of
 * 2. Only white space changes: numbers, strings, the order of members and duplicates stay. The text
 * must be JSON.
 */
export function laidOut(text: string): string {
  const parts: string[] = [];
  let depth = 0;
  const line = () => `\n${"  ".repeat(Math.min(depth, MAX_INDENT))}`;
  for (let at = afterSpace(text, 0); at < text.length; at = afterSpace(text, at)) {
    const first = text[at]!;
    if (first === "{" || first === "[") {
      const next = afterSpace(text, at + 1);
      const isEmpty = text[next] === "}" || text[next] === "]";
      if (isEmpty) parts.push(first + text[next]);
      else {
        depth += 1;
        parts.push(first, line());
      }
      at = isEmpty ? next + 1 : at + 1;
    } else if (first === "}" || first === "]") {
      depth -= 1;
      parts.push(line(), first);
      at += 1;
    } else if (first === "," || first === ":") {
      parts.push(first === "," ? `,${line()}` : ": ");
      at += 1;
    } else {
      const end = Math.max(endOfValue(text, at), at + 1);
      parts.push(text.slice(at, end));
      at = end;
    }
  }
  return parts.join("");
}
