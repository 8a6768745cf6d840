/** How deep arrays and objects may lie in each other: what the JSON reader inside Redis allows. */
const MAX_DEPTH = 1000;

/** What stands between the outer braces of a JSON object, unread; undefined for anything else. */
export function objectMembers(json: string): string | undefined {
  if (!isObject(json) || depth(json) > MAX_DEPTH) return undefined;
  const object = trim(json);
  return trim(object.slice(1, -1));
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json, wellFormed);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Refuses half a character, written as an escape, as the JSON reader inside Redis does. */
function wellFormed(name: string, value: unknown): unknown {
  const whole = name.isWellFormed() && (typeof value !== "string" || value.isWellFormed());
  if (!whole) throw new SyntaxError("half a character");
  return value;
}

/** The deepest nesting in a valid JSON text. */
function depth(json: string): number {
  let deepest = 0;
  let open = 0;
  for (let i = 0; i < json.length; i++) {
    const mark = json[i];
    if (mark === '"') i = endOfString(json, i);
    else if (mark === "{" || mark === "[") open += 1;
    else if (mark === "}" || mark === "]") open -= 1;
    if (open > deepest) deepest = open;
  }
  return deepest;
}

/** Where the string that begins at `start` has its closing quote. */
function endOfString(json: string, start: number): number {
  let i = start + 1;
  while (json[i] !== '"') i += json[i] === "\\" ? 2 : 1;
  return i;
}

/** Without the blanks that JSON allows, which are fewer than those `String.trim` takes. */
function trim(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text[from])) from += 1;
  while (to > from && isBlank(text[to - 1])) to -= 1;
  return text.slice(from, to);
}

const isBlank = (character: string | undefined) =>
  character === " " || character === "\n" || character === "\r" || character === "\t";
