import { firstLine } from "../worker/modules.ts";
import { EXIT } from "./exit-codes.ts";
import { plain } from "./plain.ts";

/** Tells what went wrong, in one sentence on one line. */
export function complain(sentence: string): void {
  process.stderr.write(`qless: ${plain(sentence.trim().replaceAll(/\s*\n\s*/g, " "))}\n`);
}

let hear = (error: unknown): void => {
  complain(firstLine(error));
  process.exit(EXIT.FAILED);
};

/** Sees to it that an error which nobody catches is told without a stack; other listeners stay. */
export function catchUncaught(): void {
  process.on("uncaughtException", (error) => hear(error));
}

/** Says what becomes of errors that nobody catches from now on. */
export function onUncaught(listener: (error: unknown) => void): void {
  hear = listener;
}
