import { refusalFrom } from "../engine.ts";

/** What the core threw, as shells know it; what is no refusal stays as it is. */
export function asRefused(error: unknown): unknown {
  if (typeof error !== "object" || error === null || !("err" in error)) return error;
  return refusalFrom(String(error.err)) ?? error;
}
