import type { TSchema } from "@sinclair/typebox";
import type { Keep } from "../json/read-keeping.ts";

/** Marks the schema of values that stay text, byte for byte. */
export const AS_TEXT = Symbol("qless.asText");

const known = new WeakMap<TSchema, { keep: Keep | undefined }>();

/** Which values of a body stay text, by its schema. */
export function keepOf(schema: TSchema | undefined): Keep | undefined {
  if (schema === undefined) return undefined;
  const found = known.get(schema) ?? { keep: made(schema) };
  known.set(schema, found);
  return found.keep;
}

function made(schema: TSchema): Keep | undefined {
  if (AS_TEXT in schema) return "raw";
  const { properties = {}, items } = schema as {
    properties?: Record<string, TSchema>;
    items?: TSchema;
  };
  if (items !== undefined) {
    const keep = made(items);
    return keep === undefined ? undefined : { items: keep };
  }
  const members = new Map<string, Keep>();
  for (const [name, property] of Object.entries(properties)) {
    const keep = made(property);
    if (keep !== undefined) members.set(name, keep);
  }
  return members.size === 0 ? undefined : { members };
}
