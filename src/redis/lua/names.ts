import { onLegacyEntry } from "../../core/entry.ts";
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

/** The first byte of the control characters U+0080 to U+009F in UTF-8, and all of one. */
const LEAD = string.char(0xc2);
const LATER_CONTROL = LEAD + "[" + string.char(0x80) + "-" + string.char(0x9f) + "]";

/**
 * Whether a text has a control character of U+0080 to U+009F. Most texts have no such byte, and to
 * look for one byte costs little. Data of old clients may have such names, and is theirs to reach.
 */
function hasLaterControl(text: string): boolean {
  if (string.find(text, LEAD, 1, true)[0] === undefined || onLegacyEntry()) return false;
  return string.find(text, LATER_CONTROL)[0] !== undefined;
}

/** What cjson need not escape has no control characters; asking it is cheaper than a pattern. */
export function isJid(text: string): boolean {
  const bytes = text.length;
  if (bytes === 0 || bytes > 255) return false;
  const quoted = cjson.encode(text);
  if (hasLaterControl(text)) return false;
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
  if (hasLaterControl(list)) return false;
  if (list.length === expected) {
    lastNames = texts;
    lastList = list;
    return true;
  }
  for (const text of texts) if (!isJid(text)) return false;
  return true;
}
