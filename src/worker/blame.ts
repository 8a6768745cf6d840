import { QlessError } from "../engine.ts";

/** Causes of an error that are part of its message. */
const MAX_CAUSES = 5;

/** What is kept of a thrown value when reading it throws, as with a revoked proxy. */
export const UNREADABLE = "The thrown value cannot be read";

/**
 * Handlers throw anything. Reading a member of what was thrown may throw in turn: getters, proxies.
 * Undefined when it does.
 */
export function tried<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export const isError = (thrown: unknown): thrown is Error =>
  tried(() => thrown instanceof Error) === true;

/** The text that is read; undefined when it is none, or empty. */
export function textFrom(read: () => unknown): string | undefined {
  const text = tried(read);
  return typeof text === "string" && text !== "" ? text : undefined;
}

/** The group of failures that an error of a klass belongs to: the same for the same kind of error. */
export function groupOf(klass: string, error: unknown): string {
  return `${klass}:${nameOf(error)}`;
}

function nameOf(error: unknown): string {
  if (!isError(error)) return typeof error;
  return textFrom(() => (error instanceof QlessError ? error.code : error.name)) ?? "Error";
}

/** The message of a failure: the error's stack, and those of its causes. */
export function messageOf(error: unknown): string {
  const texts: string[] = [];
  let cause = error;
  for (let i = 0; i <= MAX_CAUSES && cause !== undefined && cause !== null; i++) {
    const one = cause;
    texts.push(valueText(one));
    cause = isError(one) ? tried(() => one.cause) : undefined;
  }
  return texts.join("\nCaused by: ") || valueText(error);
}

/** A thrown value as text, whatever it is: an error's stack, or JSON. */
export function valueText(error: unknown): string {
  if (isError(error)) {
    const message = textFrom(() => error.message) ?? "";
    return textFrom(() => error.stack) ?? `${nameOf(error)}: ${message}`;
  }
  if (typeof error === "string") return error;
  return textFrom(() => JSON.stringify(error)) ?? textFrom(() => String(error)) ?? UNREADABLE;
}
