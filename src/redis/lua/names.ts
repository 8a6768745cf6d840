import { quote } from "./json.ts";

/**
 * Names that were looked at lately, in quotes: queues, workers and klasses come with every call.
 */
let names: { [name: string]: string } = {};
let remembered = 0;

export function isName(text: string): boolean {
  if (names[text] !== undefined) return true;
  if (!isJid(text)) return false;
  if (remembered >= 200) {
    names = {};
    remembered = 0;
  }
  names[text] = quoteName(text);
  remembered += 1;
  return true;
}

/** The jid that was looked at last, in quotes: what is put is also announced. */
let lastJid = "";
let lastQuoted = '""';

export function quoteName(name: string): string {
  if (name === lastJid) return lastQuoted;
  const known = names[name];
  if (known !== undefined) return known;
  const quoted = cjson.encode(name);
  return quoted.length === name.length + 2 ? quoted : quote(name);
}

/** The list that was found to be one of plain names last, and what it is as JSON. */
const NO_LIST: string[] = [];
let lastNames = NO_LIST;
let lastList = "";

export function quoteNames(names: string[]): string {
  if (names !== lastNames) areNames(names);
  if (names === lastNames) {
    // Its owner may fill it anew.
    lastNames = NO_LIST;
    return lastList;
  }
  const quoted: string[] = [];
  for (const name of names) quoted.push(quoteName(name));
  return "[" + table.concat(quoted, ",") + "]";
}

/** What cjson need not escape has no control characters; asking it is cheaper than a pattern. */
export function isJid(text: string): boolean {
  const bytes = text.length;
  if (bytes === 0 || bytes > 255) return false;
  const quoted = cjson.encode(text);
  if (quoted.length === bytes + 2) {
    lastJid = text;
    lastQuoted = quoted;
    return true;
  }
  const [control] = string.find(text, "%c");
  return control === undefined;
}

/** As `isJid`, with one question for all; the list must not change between this and `quoteNames`. */
export function areNames(texts: string[]): boolean {
  // Quotes and commas, and the brackets instead of the last comma.
  let expected = 1;
  for (const text of texts) {
    const bytes = text.length;
    if (bytes === 0 || bytes > 255) return false;
    expected += bytes + 3;
  }
  const list = cjson.encode(texts);
  if (list.length === expected) {
    lastNames = texts;
    lastList = list;
    return true;
  }
  for (const text of texts) if (!isJid(text)) return false;
  return true;
}
