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
  /** Free text, which gives way before all else where there is little room. */
  isFree?: boolean;
  /** Columns that it holds on to while anything else can give way: `WHOLE` for what is copied. */
  least?: number;
}

/** The room of a name: half of one is the name of nothing. */
export const WHOLE = Number.POSITIVE_INFINITY;

/** Between two columns. */
const GAP = 2;
/** What free text keeps while other text can give way, and what that keeps while free text can. */
const FREE_LEAST = 8;
const TEXT_LEAST = 5;

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
  const isNumber = columns.map(({ of }) => rows.some((row) => typeof of(row) === "number"));
  const widths = fitted(
    columns.map(({ title, isFree = false, least }, i) => {
      const most = widest(cells, i);
      return {
        natural: Math.max(widthOf(title), most),
        isFree,
        // A number of which digits are missing is another one.
        least: isNumber[i] ? most : least,
      };
    }),
    width,
  );
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
function widest(cells: readonly string[][], column: number): number {
  return cells.reduce((most, texts) => Math.max(most, widthOf(texts[column]!)), 0);
}

interface Need {
  natural: number;
  isFree: boolean;
  least: number | undefined;
}

/**
 * Takes from the widest column, again and again, until all fit: first of free text, then of whatever
 * has more than it needs, and of names only when there is nothing else.
 */
function fitted(needs: readonly Need[], width: number): number[] {
  const widths = needs.map(({ natural }) => Math.min(natural, width));
  const room = width - GAP * (widths.length - 1);
  const floors: ((need: Need) => number)[] = [
    ({ isFree }) => (isFree ? FREE_LEAST : WHOLE),
    ({ isFree, least }) => least ?? (isFree ? FREE_LEAST : TEXT_LEAST),
    ({ least = 1 }) => least,
    () => 1,
  ];
  for (const floor of floors) shrink(widths, needs.map(floor), room);
  return widths;
}

/** Takes from the widest that is above its floor until the sum fits, or none is. */
function shrink(widths: number[], floors: readonly number[], room: number): void {
  let over = widths.reduce((all, one) => all + one, 0) - room;
  while (over > 0) {
    const most = Math.max(...widths.filter((one, i) => one > floors[i]!));
    if (most <= 0) return;
    widths[widths.findIndex((one, i) => one === most && one > floors[i]!)] = most - 1;
    over -= 1;
  }
}
