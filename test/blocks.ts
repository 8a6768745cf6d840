import { filesIn, read } from "./sources.ts";

/**
 * The fenced blocks of the documents. Behind its language, a block may have marks: `file=name` says that
 * it is that file in the reader's folder, and those of MARKS why it is not run as it stands.
 */

export const DOCUMENTS: readonly string[] = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "clients/python/README.md",
  ...filesIn("docs").filter((path) => path.endsWith(".md")),
];

/** Why a block is not run as it stands, and what is done with it instead. */
export const MARKS = {
  form: "shows the form of something, in which words stand for others",
  call: "is the words of one command, and is called on an engine",
} as const;

export interface Block {
  document: string;
  /** The line of its fence, from 1. */
  line: number;
  /** The heading that it is under. */
  section: string;
  language: string;
  marks: readonly string[];
  code: string;
  /** Whether only blank lines are between it and the block before. */
  adjoins: boolean;
}

/** All blocks of a document, in their order. */
export function blocksOf(document: string): Block[] {
  const found: Block[] = [];
  let section = "";
  let open: Block | undefined;
  let isNear = false;
  for (const [i, line] of read(document).split("\n").entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (fence === null) {
      if (open !== undefined) open.code += `${line}\n`;
      else if (line !== "") isNear = false;
      if (open === undefined && /^#+ /.test(line)) section = line.replace(/^#+ /, "");
    } else if (open === undefined) {
      const [language = "", ...marks] = fence[1]!.split(" ");
      open = { document, line: i + 1, section, language, marks, code: "", adjoins: isNear };
    } else {
      found.push(open);
      open = undefined;
      isNear = true;
    }
  }
  if (open !== undefined) throw new Error(`${document}:${open.line} is not closed`);
  return found;
}

/** The file that a block is: by its mark, or by a comment in its first line. */
export function fileOf({ marks, code, language }: Block): string | undefined {
  const marked = marks.find((mark) => mark.startsWith("file="));
  if (marked !== undefined) return marked.slice("file=".length);
  return language === "js" ? /^\/\/ (\S+\.\w+)\n/.exec(code)?.[1] : undefined;
}

export const placeOf = ({ document, line }: Block) => `${document}:${line}`;
