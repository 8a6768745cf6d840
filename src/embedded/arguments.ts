import { type CallOptions, envelope, Refused, refusalFrom } from "../engine.ts";

/** An argument as the text it travels in, or a refusal of what could not travel. */
export function argumentText(value: unknown): string {
  if (typeof value === "string" && value.isWellFormed()) return value;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  if (typeof value === "string") throw bad("Text with half of a surrogate pair is not Unicode");
  throw bad(`An argument must be a text or a finite number, not ${described(value)}`);
}

/** The time and request id of a call, as text. */
export function whenText(options: CallOptions = {}): string {
  if (options.now !== undefined) argumentText(options.now);
  return argumentText(envelope(options));
}

/** What the core threw, as shells know it; what is no refusal stays as it is. */
export function asRefused(error: unknown): unknown {
  if (typeof error !== "object" || error === null || !("err" in error)) return error;
  return refusalFrom(String(error.err)) ?? error;
}

function bad(reason: string): Refused {
  return new Refused("BAD_ARGUMENT", reason);
}

function described(value: unknown): string {
  return typeof value === "number" || value === null ? String(value) : typeof value;
}
