/**
 * What a terminal would obey, and what turns the direction of a line: names and data of jobs come
 * from others, and could forge lines or type commands with it.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** The text on one line, with characters that are not to be seen written out: `\u001b`. */
export function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(UNSAFE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The place that a URL names, without user, password and options. */
export function placeOf(url: string): string {
  if (url.startsWith("sqlite:")) return url;
  try {
    const { protocol, host, pathname } = new URL(url);
    return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
  } catch {
    return "Redis";
  }
}
