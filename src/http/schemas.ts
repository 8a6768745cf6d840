import {
  FormatRegistry,
  type Static,
  type TProperties,
  type TUnsafe,
  Type,
} from "@sinclair/typebox";
import type { RawJson } from "../json/raw-json.ts";
import { AS_TEXT } from "./keeping.ts";

/**
 * The parts that requests are made of. Each says in `description` what it must be, as the end of a
 * sentence that begins with its name and "must be": it is what a caller is told who got it wrong.
 */

/** Jobs, jids or outcomes in one call, and entries on one page. */
export const MAX_BATCH = 500;
/** Seconds that a request may wait for something to happen. */
export const MAX_WAIT_S = 60;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** As the core has it: what is not caught here would be refused there, perhaps after something was done. */
FormatRegistry.Set(
  "qless-name",
  (text) => text.isWellFormed() && !CONTROL.test(text) && Buffer.byteLength(text) <= 255,
);

export const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  format: "qless-name",
  description: "a text of 1 to 255 bytes without control characters",
});
export const Names = Type.Array(Name, {
  maxItems: MAX_BATCH,
  description: `a list of at most ${MAX_BATCH} names`,
});
export const SomeNames = Type.Array(Name, {
  minItems: 1,
  maxItems: MAX_BATCH,
  description: `a list of 1 to ${MAX_BATCH} names`,
});
export const Text = Type.String({
  maxLength: 16_384,
  description: "a text of at most 16,384 characters",
});
export const Flag = Type.Boolean({ description: "true or false" });
/** Job data. It reaches the engine as the caller wrote it, and is never read here. */
export const Data = Type.Unsafe<RawJson>(
  Type.Unknown({ description: "any JSON, kept byte for byte", [AS_TEXT]: true }),
);
export const Priority = Type.Number({
  minimum: -1_000_000_000,
  maximum: 1_000_000_000,
  description: "a number from -1000000000 to 1000000000; lower runs sooner",
});
export const Whole = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000,
  description: "a whole number from 0 to 1000000000",
});
export const Lease = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: "the number that came with the job",
});
export const Count = Type.Integer({
  minimum: 1,
  maximum: MAX_BATCH,
  description: `a whole number from 1 to ${MAX_BATCH}`,
});
export const Offset = Type.Integer({
  minimum: 0,
  maximum: 10_000_000,
  description: "a whole number from 0 to 10000000",
});
export const Wait = Type.Number({
  minimum: 0,
  maximum: MAX_WAIT_S,
  description: `seconds, from 0 to ${MAX_WAIT_S}`,
});
const PART = "\\d{1,12}(\\.\\d{1,6})? ?(ms|s|m|h|d|w)";
export const Length = Type.Union(
  [
    Type.Number({ minimum: 0, maximum: 1_000_000_000 }),
    Type.String({ maxLength: 64, pattern: `^${PART}( ?${PART})*$` }),
  ],
  { description: 'seconds, at most 1000000000, or a text such as "30s" or "1h 30m"' },
);
export const When = Type.Union(
  [
    Type.Number({ minimum: 0, maximum: 4_398_046_511 }),
    Type.String({
      maxLength: 40,
      pattern: "^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d[\\d:.]*(Z|[+-]\\d\\d:\\d\\d)?)?$",
    }),
  ],
  {
    description:
      "seconds since 1970, or a date and time in the form of ISO 8601; before the year 2109",
  },
);
export const BackoffText = Type.String({
  maxLength: 128,
  description: 'a text such as "exponential 5 cap 60 jitter 0.2"',
});

/** One of some words. */
export function words<const Words extends readonly string[]>(all: Words) {
  const literals = all.map((word) => Type.Literal(word));
  const union = Type.Union(literals, { description: `one of ${all.join(", ")}` });
  return union as unknown as TUnsafe<Words[number]>;
}

/** An object that takes nothing but these. */
export const strict = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false, description: "an object" });

export const page = { offset: Type.Optional(Offset), count: Type.Optional(Count) };

/** Milliseconds, or the text, as the client takes a length of time. */
export const lengthFrom = (given: Static<typeof Length>): number | string =>
  typeof given === "number" ? given * 1000 : given;

/** A moment as the client takes it. */
export const momentFrom = (given: Static<typeof When>): Date | string =>
  typeof given === "number" ? new Date(Math.round(given * 1000)) : given;

/** Seconds since 1970, as answers tell a moment; null for none. */
export const secondsOf = (moment: Date | undefined): number | null =>
  moment === undefined ? null : moment.getTime() / 1000;
