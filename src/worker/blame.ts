import { QlessError } from "../engine.ts";

/** Causes of an error that are told. */
const MAX_CAUSES = 5;

/** The group of failures that an error of a klass belongs to: the same for the same kind of error. */
export function groupOf(klass: string, error: unknown): string {
  return `${klass}:${nameOf(error)}`;
}

function nameOf(error: unknown): string {
  if (error instanceof QlessError) return error.code;
  if (error instanceof Error) return error.name || "Error";
  return typeof error;
}

/** What to tell of an error: its stack, and those of its causes. */
export function messageOf(error: unknown): string {
  const texts: string[] = [];
  let cause = error;
  for (let i = 0; i <= MAX_CAUSES && cause !== undefined && cause !== null; i++) {
    texts.push(textOf(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return texts.join("\nCaused by: ") || String(error);
}

function textOf(error: unknown): string {
  if (error instanceof Error) return error.stack || `${error.name}: ${error.message}`;
  if (typeof error === "string") return error;
  try {
    return JSON.stringify(error) ?? String(error);
  } catch {
    return String(error);
  }
}
