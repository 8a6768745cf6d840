import { Invalid, QlessError, Refused, refused, Timeout, Unreachable } from "../../engine.ts";
import { isError, textFrom, tried, valueText } from "../blame.ts";
import type { ErrorFacts } from "./messages.ts";

/** An error as what can be copied to another process, whatever was thrown. */
export function factsOf(error: unknown): ErrorFacts {
  if (!isError(error)) return { kind: "other", name: typeof error, message: valueText(error) };
  const name = textFrom(() => error.name) ?? "Error";
  const message = textFrom(() => error.message) ?? "";
  const stack = textFrom(() => error.stack);
  const kind = tried(() => kindOf(error)) ?? "other";
  if (kind === "other") return { kind, name, message, stack };
  const code = textFrom(() => (error as QlessError).code);
  const { uncertain } = error as { uncertain?: boolean };
  return { kind, name, message, stack, code, uncertain };
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
