import { plain } from "./plain.ts";
import {
  type Colour,
  cut,
  hasColours,
  padded,
  painted,
  terminalWidth,
  widthOf,
  wrapped,
} from "./terminal.ts";

export interface Column<Row> {
  title: string;
  /** What stands there; numbers to the right. */
  of: (row: Row) => string | number | undefined;
  colour?: (row: Row) => Colour | undefined;
}

/** Between two columns. */
const GAP = 2;

/** Where lines go; left out, to the standard output. */
export interface Frame {
  width?: number;
  colours?: boolean;
}

/** Rows as lines that fit the terminal; what comes from others cannot make it do anything. */
export function tableOf<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width = terminalWidth(), colours = hasColours() }: Frame = {},
): string[] {
  const cells = rows.map((row) => columns.map(({ of }) => plain(String(of(row) ?? ""))));
  const titles = columns.map(({ title }) => title);
  const widths = fitted(
    titles.map((title, i) => Math.max(widthOf(title), ...widest(cells, i))),
    width,
  );
  const isNumber = columns.map(({ of }) => rows.some((row) => typeof of(row) === "number"));
  const line = (texts: string[], colourOf: (i: number) => Colour | undefined) =>
    texts
      .map((text, i) => {
        const shown = cut(text, widths[i]!);
        const isLast = i === texts.length - 1 && !isNumber[i];
        const placed = isLast ? shown : padded(shown, widths[i]!, isNumber[i] ? "right" : "left");
        const colour = colourOf(i);
        return colour === undefined ? placed : painted(placed, colour, colours);
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  const head = line(titles, () => "grey");
  return [head, ...cells.map((texts, at) => line(texts, (i) => columns[i]!.colour?.(rows[at]!)))];
}

/** Facts one beneath the other: names to the left, and beside them all of their values. */
export function factsOf(
  facts: readonly (readonly [name: string, value: string | number | undefined])[],
  { width: columns = terminalWidth(), colours = hasColours() }: Frame = {},
): string[] {
  const told = facts.filter(([, value]) => value !== undefined && value !== "");
  const width = Math.max(0, ...told.map(([name]) => name.length));
  const beside = Math.max(20, columns - width - GAP);
  return told.flatMap(([name, value]) =>
    wrapped(plain(String(value)), beside).map((shown, i) => {
      const head = painted(padded(i === 0 ? name : "", width), "grey", colours && i === 0);
      return `${head}${" ".repeat(GAP)}${shown}`;
    }),
  );
}

/** The widest cell of a column; without one, nothing. A list of any length is no list of arguments. */
function widest(cells: readonly string[][], column: number): [number] {
  return [cells.reduce((most, texts) => Math.max(most, widthOf(texts[column]!)), 0)];
}

/** Takes from the widest column, again and again, until all fit. */
function fitted(natural: readonly number[], width: number): number[] {
  const widths = natural.map((one) => Math.min(one, width));
  const room = width - GAP * (widths.length - 1);
  let sum = widths.reduce((all, one) => all + one, 0);
  for (let most = Math.max(...widths); sum > room && most > 1; most = Math.max(...widths)) {
    widths[widths.indexOf(most)] = most - 1;
    sum -= 1;
  }
  return widths;
}
