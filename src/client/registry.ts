import type { StandardSchemaV1 } from "@standard-schema/spec";
import { Invalid, type Issue } from "../engine.ts";
import { RawJson } from "../json/raw-json.ts";

/**
 * What kinds of jobs there are, and what data each takes.
 *
 * A registry holds no code that runs jobs, so that programs which only put jobs need not load it;
 * often they import its type alone.
 */

declare const DATA: unique symbol;

/** Data of a type that is known when compiling, and not looked at when running. */
export interface Payload<Data> {
  readonly [DATA]?: (data: Data) => Data;
}

/** What a klass takes: a type, or a validator of any library that follows Standard Schema. */
// biome-ignore lint/suspicious/noExplicitAny: a registry takes the payloads of all types.
export type Definition = Payload<any> | StandardSchemaV1;

/** Every klass by name, with what it takes. */
export type Registry = Readonly<Record<string, Definition>>;

/** Where no registry is given: any klass, and data that is not known. */
export type AnyJobs = Readonly<Record<string, Payload<unknown>>>;

/** The names of a registry's klasses. */
export type Klass<Jobs extends Registry> = keyof Jobs & string;

/** What may be put as data of a klass. */
export type Input<Jobs extends Registry, K extends Klass<Jobs>> =
  Jobs[K] extends StandardSchemaV1<infer Given> ? Given : DataOf<Jobs[K]>;

/** What a job of the klass carries when it comes to be run. */
export type Output<Jobs extends Registry, K extends Klass<Jobs>> =
  Jobs[K] extends StandardSchemaV1<unknown, infer Made> ? Made : DataOf<Jobs[K]>;

type DataOf<D> = D extends Payload<infer Data> ? Data : unknown;

/** Data of a type: `"email.send": payload<{ to: string }>()`. */
export function payload<Data>(): Payload<Data> {
  return {};
}

/** Names each klass with what it takes, and keeps their types apart. */
export function defineJobs<const Jobs extends Registry>(jobs: Jobs): Jobs {
  return jobs;
}

/**
 * The data as the schema of its klass makes it, or `Invalid`. Klasses without a schema take
 * anything; in a registry, a klass that is not there is an error in the program.
 */
export async function checkedData(
  jobs: Registry | undefined,
  klass: string,
  data: unknown,
): Promise<unknown> {
  if (jobs === undefined) return data;
  if (!Object.hasOwn(jobs, klass)) {
    throw new Invalid(
      "UNKNOWN_KLASS",
      `There is no klass ${JSON.stringify(klass)} in the registry`,
    );
  }
  const definition = jobs[klass]!;
  if (!("~standard" in definition)) return data;
  const given = data instanceof RawJson ? data.value : data;
  const result = await definition["~standard"].validate(given);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(issueFrom);
  throw new Invalid("INVALID_DATA", `Data of ${klass} is not valid: ${listed(issues)}`, issues);
}

function issueFrom({ message, path = [] }: StandardSchemaV1.Issue): Issue {
  return {
    message,
    path: Array.from(path, (part) => (typeof part === "object" ? part.key : part)),
  };
}

/** As many issues as a sentence bears. */
const SHOWN = 3;

function listed(issues: readonly Issue[]): string {
  const shown = issues
    .slice(0, SHOWN)
    .map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message));
  const more = issues.length - shown.length;
  return shown.join("; ") + (more > 0 ? `; and ${more} more` : "");
}
