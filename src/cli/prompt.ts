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
  const closed = new Promise<string>((resolve) => prompt.once("close", () => resolve("")));
  try {
    const answer = await Promise.race([prompt.question(`${plain(question)} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    // Ctrl-C at the question is a no.
    return false;
  } finally {
    prompt.close();
  }
}
