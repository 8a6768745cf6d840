import { inspect, isDeepStrictEqual } from "node:util";

/** Throws unless the two are strictly equal (0 is not -0), and tells the lines that differ. */
export function same(actual: unknown, expected: unknown, message = "it is not so"): void {
  if (isDeepStrictEqual(actual, expected)) return;
  const [found, wanted] = [linesOf(actual), linesOf(expected)];
  const only = (lines: string[], others: string[]) =>
    lines.filter((line) => !others.includes(line));
  const told = [
    ...only(found, wanted).map((line) => `+ ${line}`),
    ...only(wanted, found).map((line) => `- ${line}`),
  ];
  if (told.length === 0) told.push(...apart(inspect(actual, WHOLE), inspect(expected, WHOLE)));
  throw new Error(`${message} (+ actual, - expected)\n${told.join("\n")}`);
}

const WHOLE = { depth: 9, maxStringLength: null, sorted: true };

/** Where two texts begin to differ. */
function apart(actual: string, expected: string): string[] {
  let at = 0;
  while (actual[at] === expected[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(at - 60, 0), at + 60);
  return [`+ ${around(actual)}`, `- ${around(expected)}`];
}

function linesOf(value: unknown): string[] {
  return inspect(unfolded(value), { depth: 9, breakLength: 80, sorted: true }).split("\n");
}

/** JSON in texts is shown as what it says, so that the lines are short. */
function unfolded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unfolded);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, unfolded(part)]));
  }
  if (typeof value !== "string" || !/^[[{]/.test(value)) return value;
  try {
    return { json: JSON.parse(value) as unknown, text: value.length > 300 ? "..." : value };
  } catch {
    return value;
  }
}
