import { Invalid, QlessError, Refused, refused, Timeout, Unreachable } from "../../engine.ts";
import type { ErrorFacts } from "./messages.ts";

/** What of an error can be told to another process. */
export function factsOf(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) {
    return { kind: "other", name: typeof error, message: textOf(error) };
  }
  const { name, message, stack } = error;
  const { uncertain } = error as { uncertain?: boolean };
  const code = error instanceof QlessError ? error.code : undefined;
  return { kind: kindOf(error), name, message, stack, code, uncertain };
}

function textOf(value: unknown): string {
  try {
    return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  } catch {
    return String(value);
  }
}

function kindOf(error: Error): string {
  if (error instanceof Invalid) return "invalid";
  if (error instanceof Refused) return "refused";
  if (error instanceof Timeout) return "timeout";
  if (error instanceof Unreachable) return "unreachable";
  return error instanceof QlessError ? "qless" : "other";
}

/** The error that was told of, as the class it had, so that a program can tell it from others. */
export function errorFrom({ kind, name, message, stack, code = "", uncertain }: ErrorFacts): Error {
  const doubt = uncertain === undefined ? {} : { uncertain };
  if (kind === "invalid") return new Invalid(code, message);
  if (kind === "refused") return refused(code, message);
  if (kind === "timeout") return new Timeout(code, message, doubt);
  if (kind === "unreachable") return new Unreachable(code, message, doubt);
  const error = kind === "qless" ? new QlessError(code, message) : new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
