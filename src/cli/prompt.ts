import { createInterface } from "node:readline/promises";
import { invalid } from "../client/times.ts";
import { plain } from "./plain.ts";

/** What is about to be done, and whether it was agreed to beforehand. */
export interface Question {
  /** A whole question: `Cancel 3 jobs?` */
  question: string;
  isAgreed: boolean;
}

/** Asks on a terminal; elsewhere nobody could answer, so it must have been agreed to. */
export async function confirmed({ question, isAgreed }: Question): Promise<boolean> {
  if (isAgreed) return true;
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    throw invalid(`${question} Nobody can be asked here: say --yes`);
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<undefined>((resolve) => {
    prompt.once("close", () => resolve(undefined));
  });
  const asked = prompt.question(`${plain(question)} [y/N] `);
  try {
    // Ctrl-C and Ctrl-D at the question are a no, and end its line in place of the answer.
    const answer = await Promise.race([asked.catch(() => undefined), closed]);
    if (answer === undefined) process.stderr.write("\n");
    return /^y(es)?$/i.test(answer?.trim() ?? "");
  } finally {
    prompt.close();
  }
}
