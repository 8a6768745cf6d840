/** JSON as Lua has it, byte for byte as JavaScript reads and writes it. */

export function quote(text: string): string {
  const [plain] = string.find(text, "^[%w%-_ .:,+@#]*$");
  if (plain !== undefined) return '"' + text + '"';
  let quoted = cjson.encode(text);
  // cjson escapes what JSON need not escape; JavaScript does not.
  quoted = string.gsub(quoted, "\\/", "/")[0];
  const [escaped] = string.find(quoted, "\\u007f", 1, true);
  return escaped === undefined ? quoted : withDelete(quoted);
}

/** DEL unescaped; a backslash of the user's own in front of `u007f` is a pair and stays one. */
function withDelete(quoted: string): string {
  const [aside] = string.gsub(quoted, "\\\\", "\x01");
  const [plain] = string.gsub(aside, "\\u007f", "\x7f");
  return string.gsub(plain, "\x01", "\\\\")[0];
}

function decode(json: string): unknown {
  const [decoded, value] = pcall(cjson.decode, json);
  return decoded ? value : undefined;
}

/** The members if all are texts, numbered from 1 without a gap. */
export function list(json: string): string[] | undefined {
  const [starts] = string.find(json, "^[ \t\r\n]*%[");
  const value = starts === undefined ? undefined : decode(json);
  if (value === undefined) return undefined;
  const members = value as unknown[];
  for (const member of members) if (type(member) !== "string") return undefined;
  return members as string[];
}

export function members(json: string): string | undefined {
  const [starts, , inner] = string.find(json, "^[ \t\r\n]*{[ \t\r\n]*(.-)[ \t\r\n]*}[ \t\r\n]*$");
  if (starts === undefined || !isStrict(json) || decode(json) === undefined) return undefined;
  return inner as string;
}

/** Whether the text has none of what cjson takes for JSON and others do not. */
function isStrict(json: string): boolean {
  const [unescaped] = string.gsub(json, "\\.", "");
  const [bare] = string.gsub(unescaped, '"[^"%z\x01-\x1f]*"', "null");
  for (const [word] of string.gmatch(bare, "[^ \t\r\n{}%[%],:]+")) {
    const known = word === "null" || word === "true" || word === "false";
    if (!known && !isJsonNumber(word!)) return false;
  }
  return true;
}

function isJsonNumber(word: string): boolean {
  const [mantissa] = string.gsub(word, "[eE][+-]?%d+$", "");
  const [whole] = string.gsub(mantissa, "%.%d+$", "");
  const [zero] = string.find(whole, "^-?0$");
  const [digits] = string.find(whole, "^-?[1-9]%d*$");
  return zero !== undefined || digits !== undefined;
}
