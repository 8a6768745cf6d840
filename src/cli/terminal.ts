/** What is known of the terminal, and the width of text on it. */

const NO_TERMINAL_WIDTH = Number.POSITIVE_INFINITY;

/** Columns of the standard output; without end where it is no terminal. */
export function terminalWidth(): number {
  const { isTTY, columns } = process.stdout;
  return isTTY === true ? columns || 80 : NO_TERMINAL_WIDTH;
}

/** Whether colours are wanted: on a terminal, unless NO_COLOR says otherwise. */
export function hasColours(): boolean {
  const { NO_COLOR = "", TERM = "" } = process.env;
  return process.stdout.isTTY === true && NO_COLOR === "" && TERM !== "dumb";
}

export const COLOURS = { red: 31, green: 32, yellow: 33, blue: 34, cyan: 36, grey: 90, bold: 1 };
export type Colour = keyof typeof COLOURS;

/** The text in a colour, where colours are wanted. It must be plain already. */
export function painted(text: string, colour: Colour, colours = hasColours()): string {
  return colours ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;
}

/** Characters that take two columns: East Asian scripts and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Characters that take none: they join the one before. */
const NARROW = /\p{Mn}|\p{Me}|[\u200b-\u200d]/u;
const ASCII = /^[\u0020-\u007e]*$/;

const widthOfOne = (one: string) => (NARROW.test(one) ? 0 : WIDE.test(one) ? 2 : 1);

/** Columns that plain text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const one of text) width += widthOfOne(one);
  return width;
}

/** The text in so many columns at most; what is cut ends with a mark. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let width = 0;
  let kept = "";
  for (const one of text) {
    width += widthOfOne(one);
    if (width >= columns) break;
    kept += one;
  }
  return `${kept}…`;
}

/** All of the text, in lines of so many columns at most. */
export function wrapped(text: string, columns: number): string[] {
  const lines = [""];
  let width = 0;
  for (const one of text) {
    width += widthOfOne(one);
    if (width > columns) {
      lines.push("");
      width = widthOfOne(one);
    }
    lines[lines.length - 1] += one;
  }
  return lines;
}

/** The text with blanks up to so many columns, behind it or before. */
export function padded(text: string, columns: number, side: "left" | "right" = "left"): string {
  const blanks = " ".repeat(Math.max(0, columns - widthOf(text)));
  return side === "left" ? text + blanks : blanks + text;
}
