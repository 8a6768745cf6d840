import { pathToFileURL } from "node:url";
import { invalid } from "../client/times.ts";
import { QlessError } from "../engine.ts";

/** What a module exports, by name. */
export type Exports = Readonly<Record<string, unknown>>;

const IS_TYPESCRIPT = /\.m?ts$/;

/** What Node says of TypeScript that it does not load, or not from there. */
const UNREADABLE = [
  "ERR_UNKNOWN_FILE_EXTENSION",
  "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING",
  "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
];

/** Loads a file of the user's own; `shown` is what an error calls it. */
export async function importModule(file: string, shown: string): Promise<Exports> {
  try {
    return flat((await import(pathToFileURL(file).href)) as Exports);
  } catch (error) {
    const { code } = (error ?? {}) as { code?: string };
    // Whether a loader is there is not to be known beforehand, so it is tried.
    if (IS_TYPESCRIPT.test(file) && code !== undefined && UNREADABLE.includes(code)) {
      throw invalid(
        `${shown} is TypeScript that this Node does not load: build it and name the .js, ` +
          "or use Node 22.18 or later, or run with node --import tsx",
      );
    }
    const sentence = `${shown} could not be loaded: ${firstLine(error)}`;
    throw new QlessError("LOAD_FAILED", sentence, { cause: error });
  }
}

/** In CommonJS all is in the default export, which may have been compiled from a module. */
function flat(module: Exports): Exports {
  const whole = module.default;
  if (typeof whole !== "object" || whole === null) return module;
  const inner = whole as Exports;
  return Object.hasOwn(inner, "__esModule") ? inner : { ...inner, ...module };
}

/** What went wrong, without where: a stack is for those who debug. */
export function firstLine(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.split("\n", 1)[0]!;
}
