/**
 * Markdown as far as the tests of documents need it: headings, tables, blocks of code, and words in
 * backticks.
 */

/** The text under a heading, up to the next one of its level or above. */
export function sectionOf(markdown: string, heading: string): string {
  const level = heading.indexOf(" ");
  const lines = markdown.split("\n");
  const from = lines.indexOf(heading);
  if (from < 0) throw new Error(`There is no section "${heading}"`);
  const length = lines.slice(from + 1).findIndex((line) => levelOf(line) <= level);
  return lines.slice(from + 1, length < 0 ? undefined : from + 1 + length).join("\n");
}

function levelOf(line: string): number {
  return /^(#+) /.exec(line)?.[1]?.length ?? Number.POSITIVE_INFINITY;
}

/** The names of all headings of a level. */
export function headingsOf(markdown: string, level: number): string[] {
  const start = `${"#".repeat(level)} `;
  const lines = withoutCode(markdown).split("\n");
  return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
}

const withoutCode = (markdown: string) => markdown.replaceAll(/^```.*?^```$/gms, "");

/** The rows of the table whose first heading is this, each as its cells; no table has no rows. */
export function tableOf(markdown: string, heading: string): string[][] {
  const lines = markdown.split("\n");
  const from = lines.findIndex((line) => line.startsWith(`| ${heading} |`.replace("  ", " ")));
  if (from < 0) return [];
  const rows = lines.slice(from + 2);
  const length = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, length < 0 ? undefined : length).map(cellsOf);
}

const cellsOf = (row: string) =>
  row
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split("|")
    .map((cell) => cell.trim());

/** What stands between backticks, outside of blocks of code. */
export const quoted = (markdown: string) =>
  [...withoutCode(markdown).matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? "");

/** The blocks of code in a language. */
export function blocksOf(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"));
  return [...blocks].map(([, code]) => code ?? "");
}
