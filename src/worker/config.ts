import { unknownOption } from "../client/nearest.ts";
import { type Duration, invalid } from "../client/times.ts";
import { type ChildrenOptions, MODELS, type Model } from "./children/options.ts";
import type { Order } from "./order.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export const LOG_FORMATS = ["pretty", "json"] as const;
const ORDERS = ["ordered", "round-robin", "weighted"] as const satisfies readonly Order[];

/** What `qless work` goes by; all of it may be left out, and said by flags or the environment. */
export interface WorkConfig {
  /** Where the queues are: `sqlite:<file>`, `redis://` or `rediss://`. */
  url?: string;
  namespace?: string;
  queues?: string | readonly string[];
  /** The folder of jobs, or one module; from the place of the file that says so. */
  jobs?: string;
  /** How many jobs run at a time, in this process or in each child. */
  concurrency?: number;
  /** Where handlers run; default `coroutines`, in the process itself. */
  model?: Model;
  children?: ChildrenOptions;
  order?: Order;
  weights?: Readonly<Record<string, number>>;
  /** How long a stop lets jobs run on. */
  grace?: Duration;
  /** The worker's name; left out, one that no other has. */
  name?: string;
  log?: {
    level?: (typeof LOG_LEVELS)[number];
    format?: (typeof LOG_FORMATS)[number];
  };
}

/** Gives a config file its types: `export default defineConfig({ queues: ["emails"] })`. */
export const defineConfig = (config: WorkConfig): WorkConfig => config;

/** Whether a value will do, and what it should be. */
type Rule = readonly [isGood: (value: unknown) => boolean, wanted: string];

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isNumber = (value: unknown) => typeof value === "number";
const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isNames = (value: unknown) => [value].flat().every(isText);
const text: Rule = [isText, "a text"];
const oneOf = (known: readonly string[]): Rule => [
  (value) => known.includes(value as string),
  `one of ${known.join(", ")}`,
];

const RULES: Readonly<Record<keyof WorkConfig, Rule>> = {
  url: text,
  namespace: text,
  queues: [isNames, "a name or a list of names"],
  jobs: text,
  concurrency: [isNumber, "a number"],
  model: oneOf(MODELS),
  children: [isObject, "an object such as { count: 4 }"],
  order: oneOf(ORDERS),
  weights: [
    (value) => isObject(value) && Object.values(value).every(isNumber),
    "an object of numbers by queue",
  ],
  grace: [(value) => isNumber(value) || isText(value), "milliseconds or a text such as 30s"],
  name: text,
  log: [isObject, "an object with level and format"],
};

const LOG_RULES = { level: oneOf(LOG_LEVELS), format: oneOf(LOG_FORMATS) };

/** The config, once it is known to be one; `from` is what a refusal calls it. */
export function checkedConfig(config: unknown, from: string): WorkConfig {
  if (!isObject(config)) throw invalid(`${from} must hold an object of settings`);
  check(config, RULES, { from, within: "" });
  const { log } = config as WorkConfig;
  if (log !== undefined) check(log, LOG_RULES, { from, within: "log." });
  return config;
}

/** Values are not told: one of them may be a URL with a password in it. */
function check(
  given: object,
  rules: Readonly<Record<string, Rule>>,
  { from, within }: { from: string; within: string },
): void {
  const known = Object.keys(rules);
  for (const [key, value] of Object.entries(given)) {
    if (!known.includes(key)) {
      const names = known.map((name) => within + name);
      throw invalid(unknownOption(`in ${from}`, within + key, names));
    }
    const [isGood, wanted] = rules[key]!;
    if (value === undefined || isGood(value)) continue;
    throw invalid(`${within}${key} of ${from} must be ${wanted}, not ${kindOf(value)}`);
  }
}

function kindOf(value: unknown): string {
  if (value === "") return "an empty text";
  if (value === null) return "null";
  if (Array.isArray(value)) return "this list";
  const kinds: Record<string, string> = { string: "this text", object: "this object" };
  return kinds[typeof value] ?? `a ${typeof value}`;
}
