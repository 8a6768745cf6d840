/**
 * Finds JSON values in a text by their positions. A value is read once, from left to right, without
 * recursion. In a text that is not JSON the positions mean nothing, but every search still ends.
 */

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;

/** The first position from `at` on that is not white space. */
export function afterSpace(text: string, at: number): number {
  let next = at;
  while (isSpace(text.charCodeAt(next))) next += 1;
  return next;
}

/** The position after the string whose opening quote is at `at`. */
export function endOfString(text: string, at: number): number {
  for (let next = at + 1; next < text.length; next++) {
    const code = text.charCodeAt(next);
    if (code === BACKSLASH) next += 1;
    else if (code === QUOTE) return next + 1;
  }
  return text.length;
}

/** The position after the value that begins at `at`. */
export function endOfValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return endOfString(text, at);
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) return endOfWord(text, at);
  let depth = 0;
  let next = at;
  while (next < text.length) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) {
      next = endOfString(text, next);
      continue;
    }
    next += 1;
    if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth === 0) return next;
  }
  return text.length;
}

/** The position after a number, `true`, `false` or `null`. */
function endOfWord(text: string, at: number): number {
  let next = at;
  for (; next < text.length; next++) {
    const code = text.charCodeAt(next);
    if (isSpace(code) || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT) break;
  }
  return next;
}

/** How deep lists and objects are nested in a text; stops counting above `most`. */
export function depthOf(text: string, most: number): number {
  let depth = 0;
  let deepest = 0;
  for (let next = 0; next < text.length && deepest <= most; next++) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) next = endOfString(text, next) - 1;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

/** One member of an object, or one item of a list. */
export interface Entry {
  /** Undefined in a list. */
  name: string | undefined;
  /** Where the value begins and ends. */
  from: number;
  to: number;
}

/**
 * Visits the members or items of the object or list at `at`, in order and with duplicates, and
 * returns the position after it. `visit` returns the position after the value. Throws a
 * `SyntaxError` where the text is not JSON.
 */
export function eachEntry(
  text: string,
  at: number,
  visit: (name: string | undefined, from: number) => number,
): number {
  const isObject = text.charCodeAt(at) === OPEN_OBJECT;
  const close = isObject ? CLOSE_OBJECT : CLOSE_LIST;
  let next = afterSpace(text, at + 1);
  if (text.charCodeAt(next) === close) return next + 1;
  for (;;) {
    let name: string | undefined;
    if (isObject) {
      if (text.charCodeAt(next) !== QUOTE) throw unexpected(next);
      const end = endOfString(text, next);
      name = JSON.parse(text.slice(next, end)) as string;
      next = afterSpace(text, end);
      if (text[next] !== ":") throw unexpected(next);
      next = afterSpace(text, next + 1);
    }
    next = afterSpace(text, visit(name, next));
    const code = text.charCodeAt(next);
    if (code === close) return next + 1;
    if (code !== COMMA) throw unexpected(next);
    next = afterSpace(text, next + 1);
  }
}

const unexpected = (at: number) => new SyntaxError(`The text is not JSON at position ${at}`);

/** The members or items of a text that is an object or a list; undefined for any other value. */
export function entriesOf(text: string): Entry[] | undefined {
  const at = afterSpace(text, 0);
  const first = text.charCodeAt(at);
  if (first !== OPEN_LIST && first !== OPEN_OBJECT) return undefined;
  const entries: Entry[] = [];
  eachEntry(text, at, (name, from) => {
    const to = endOfValue(text, from);
    entries.push({ name, from, to });
    return to;
  });
  return entries;
}
