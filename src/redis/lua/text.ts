import type { Reply, Text } from "../../core/text.ts";

/** Text and numbers as Lua has them; src/embedded/text.ts is the same for JavaScript. */

const [find, sub, format, gsub] = [string.find, string.sub, string.format, string.gsub];

function number(text: string): number | undefined {
  const [plain] = find(text, "^-?%d+$");
  if (plain === undefined) {
    const [decimal] = find(text, "^-?%d*%.?%d*[eE]?[+-]?%d*$");
    const [digits] = find(text, "^-?%.?%d");
    if (decimal === undefined || digits === undefined) return undefined;
  }
  const value = tonumber(text);
  if (value === undefined || value === math.huge || value === -math.huge) return undefined;
  return value;
}

function decimal(value: number): string {
  if (value < 0) {
    const positive = decimal(-value);
    return positive === "0" ? "0" : "-" + positive;
  }
  let whole = math.floor(value);
  let fraction = math.floor((value - whole) * 1e9 + 0.5);
  if (fraction >= 1e9) {
    whole += 1;
    fraction = 0;
  }
  const shown = format("%.0f", whole);
  if (fraction === 0) return shown;
  const [digits] = gsub(format("%09.0f", fraction), "0+$", "");
  return shown + "." + digits;
}

function quote(text: string): string {
  const [plain] = find(text, "^[%w%-_ .:,+@#]*$");
  if (plain !== undefined) return '"' + text + '"';
  let quoted = cjson.encode(text);
  // cjson escapes what JSON need not escape; JavaScript does not.
  quoted = gsub(quoted, "\\/", "/")[0];
  const [escaped] = find(quoted, "\\u007f", 1, true);
  return escaped === undefined ? quoted : withDelete(quoted);
}

/** DEL unescaped; a backslash of the user's own in front of `u007f` is a pair and stays one. */
function withDelete(quoted: string): string {
  const [aside] = gsub(quoted, "\\\\", "\x01");
  const [plain] = gsub(aside, "\\u007f", "\x7f");
  return gsub(plain, "\x01", "\\\\")[0];
}

function decode(json: string): unknown {
  const [decoded, value] = pcall(cjson.decode, json);
  return decoded ? value : undefined;
}

/** The members if all are texts, numbered from 1 without a gap. */
function list(json: string): string[] | undefined {
  const [starts] = find(json, "^[ \t\r\n]*%[");
  const value = starts === undefined ? undefined : decode(json);
  if (value === undefined) return undefined;
  const members = value as unknown[];
  for (const member of members) if (type(member) !== "string") return undefined;
  return members as string[];
}

function members(json: string): string | undefined {
  const [starts, , inner] = find(json, "^[ \t\r\n]*{[ \t\r\n]*(.-)[ \t\r\n]*}[ \t\r\n]*$");
  if (starts === undefined || !isStrict(json) || decode(json) === undefined) return undefined;
  return inner as string;
}

/** Whether the text has none of what cjson takes for JSON and others do not. */
function isStrict(json: string): boolean {
  const [unescaped] = gsub(json, "\\.", "");
  const [bare] = gsub(unescaped, '"[^"%z\x01-\x1f]*"', "null");
  for (const [word] of string.gmatch(bare, "[^ \t\r\n{}%[%],:]+")) {
    const known = word === "null" || word === "true" || word === "false";
    if (!known && !isJsonNumber(word!)) return false;
  }
  return true;
}

function isJsonNumber(word: string): boolean {
  const [mantissa] = gsub(word, "[eE][+-]?%d+$", "");
  const [whole] = gsub(mantissa, "%.%d+$", "");
  const [zero] = find(whole, "^-?0$");
  const [digits] = find(whole, "^-?[1-9]%d*$");
  return zero !== undefined || digits !== undefined;
}

function split(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let from = 1;
  while (pieces.length < limit - 1) {
    const [tab] = find(text, "\t", from, true);
    if (tab === undefined) break;
    pieces.push(sub(text, from, tab - 1));
    from = tab + 1;
  }
  pieces.push(sub(text, from));
  return pieces;
}

function divide(text: string, mark: string): string[] {
  const [at] = find(text, mark, 1, true);
  return at === undefined ? [text] : [sub(text, 1, at - 1), sub(text, at + 1)];
}

function words(text: string): string[] {
  const found: string[] = [];
  for (const [word] of string.gmatch(text, "[^ ]+")) found.push(word!);
  return found;
}

/** Names that were looked at lately: queues and workers come with every call. */
let names: { [name: string]: boolean } = {};
let remembered = 0;

function isName(text: string): boolean {
  if (names[text] !== undefined) return true;
  const bytes = text.length;
  if (bytes === 0 || bytes > 255) return false;
  const [control] = find(text, "%c");
  if (control !== undefined) return false;
  if (remembered >= 200) {
    names = {};
    remembered = 0;
  }
  names[text] = true;
  remembered += 1;
  return true;
}

/** Whole numbers that were written lately: one call writes the same times again and again. */
let numbers: { [value: number]: string } = {};
let written = 0;

function integer(value: number): string {
  const known = numbers[value];
  if (known !== undefined) return known;
  if (written >= 100) {
    numbers = {};
    written = 0;
  }
  const shown = format("%d", value);
  numbers[value] = shown;
  written += 1;
  return shown;
}

function quoteName(name: string): string {
  const [mark] = find(name, '"', 1, true);
  const [slash] = find(name, "\\", 1, true);
  return mark === undefined && slash === undefined ? '"' + name + '"' : quote(name);
}

function isNamespace(text: string): boolean {
  const [plain] = find(text, "^[%w_.-]+$");
  const [braced] = find(text, "^{[%w_.-]+}$");
  return (plain !== undefined || braced !== undefined) && text.length <= 64;
}

export const text: Text = {
  number,
  value: (stored) => tonumber(stored)!,
  integer,
  score: (value) => (value === 0 ? "0" : format("%.17g", value)),
  decimal,
  exact: (value) => format("%.17g", value),
  order: (value) => format("%013x", value),
  orderOf: (ordered) => tonumber(sub(ordered, 1, 13), 16)!,
  skip: (long, count) => sub(long, count + 1),
  split,
  divide,
  words,
  lower: (mixed) => string.lower(mixed),
  startsWith: (long, start) => sub(long, 1, start.length) === start,
  withoutEnd: (long, end) =>
    sub(long, -end.length) === end ? sub(long, 1, -end.length - 1) : undefined,
  isName,
  isNamespace,
  bytes: (measured) => measured.length,
  list,
  quote,
  quoteName,
  members,
  pack: (reply) => cmsgpack.pack(reply),
  unpack: (packed) => cmsgpack.unpack(packed) as Reply,
};
