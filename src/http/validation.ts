import type { TObject, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { HttpError } from "./errors.ts";

const validators = new WeakMap<TObject, Validator>();

/** The validator of a schema; there is one, however many servers there are. */
export function validatorOf(schema: TObject): Validator {
  const known = validators.get(schema) ?? new Validator(schema);
  validators.set(schema, known);
  return known;
}

/** Checks values against a schema, and says in one sentence what is wrong with the first that is. */
export class Validator {
  readonly #schema: TObject;
  /** Compiled when it is first needed: a server should not be long in starting. */
  #check: TypeCheck<TObject> | undefined;

  constructor(schema: TObject) {
    this.#schema = schema;
  }

  /** The value, if it is right. */
  checked(value: unknown): unknown {
    this.#check ??= TypeCompiler.Compile(this.#schema);
    if (this.#check.Check(value)) return value;
    const error = this.#check.Errors(value).First();
    throw new HttpError(400, "BAD_REQUEST", this.#sentence(error));
  }

  /** The words of a query or a path, read as what the schema has in their places. */
  checkedWords(words: Readonly<Record<string, unknown>>): unknown {
    const read = Object.entries(words).map(([name, word]) => {
      const schema = Object.hasOwn(this.#schema.properties, name)
        ? this.#schema.properties[name]
        : undefined;
      return [name, schema === undefined ? word : readAs(schema, word)];
    });
    return this.checked(Object.fromEntries(read));
  }

  #sentence(error: ValueError | undefined): string {
    if (error === undefined) return "The request is not what this route takes";
    const field = fieldOf(error.path);
    if (error.type === ValueErrorType.ObjectRequiredProperty) return `${field} is missing`;
    if (error.type === ValueErrorType.ObjectAdditionalProperties) {
      const known = Object.keys(this.#schema.properties).join(", ");
      const isTop = !field.includes(".");
      return `${field} is not known here${isTop && known !== "" ? `; there are ${known}` : ""}`;
    }
    const { description = error.message } = error.schema as { description?: string };
    return `${field} must be ${description}`;
  }
}

const MAX_SHOWN = 100;

/** `/jobs/3/priority` as `jobs.3.priority`; what a caller made up is shown in part. */
function fieldOf(path: string): string {
  const parts = path.split("/").slice(1);
  const names = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (names.length === 0) return "The body";
  const shown = names.join(".").slice(0, MAX_SHOWN);
  return /^[\w.-]+$/.test(shown) ? shown : JSON.stringify(shown.toWellFormed());
}

const NUMBER = /^-?\d{1,15}(\.\d{1,30})?$/;

function readAs(schema: TSchema, word: unknown): unknown {
  const { type, anyOf } = schema as { type?: string; anyOf?: readonly { type?: string }[] };
  if (type === "array") return [word].flat().flatMap((one) => String(one).split(","));
  if (typeof word !== "string") return word;
  const takesNumber = type === "number" || type === "integer";
  if (takesNumber || anyOf?.some((one) => one.type === "number")) {
    return NUMBER.test(word) ? Number(word) : word;
  }
  if (type !== "boolean") return word;
  return word === "true" || word === "1" ? true : word === "false" || word === "0" ? false : word;
}
