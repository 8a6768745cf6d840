import { checkKnown } from "../client/known.ts";
import type { AnyJobs } from "../client/registry.ts";
import { invalid } from "../client/times.ts";
import { Invalid } from "../engine.ts";
import { entryOf, type Handler, KLASS_OPTIONS, type KlassOptions } from "./handlers.ts";
import { type JobFile, jobFiles } from "./job-files.ts";
import { type Exports, importModule } from "./modules.ts";

/**
 * Jobs of a folder. It is read once: from then on a klass is a key of the map that was made, and
 * never a path or the name of a module, since whoever may put a job chooses its klass.
 */

/** What runs jobs of a klass, and where it was found. */
export interface LoadedJob {
  handler: Handler<AnyJobs, string>;
  options: KlassOptions;
  file: string;
}

export interface LoadedJobs {
  jobs: ReadonlyMap<string, LoadedJob>;
  /** Links that were not followed. */
  skipped: readonly string[];
}

/** Loads every module of a folder, or one module, and gives the handlers by klass. */
export async function loadJobs(path: string): Promise<LoadedJobs> {
  const { files, skipped } = await jobFiles(path);
  return { jobs: await loadFiles(files), skipped };
}

/** Loads modules, and gives their handlers by klass. */
export async function loadFiles(files: readonly JobFile[]): Promise<LoadedJobs["jobs"]> {
  const jobs = new Map<string, LoadedJob>();
  for (const file of files) {
    const exports = await importModule(file.path, file.shown);
    const options = checkedOptions(file.shown, exports.options);
    for (const [klass, handler] of handlersOf(file, exports)) {
      const other = jobs.get(klass);
      if (other !== undefined) {
        throw invalid(`${other.file} and ${file.shown} are both for klass ${klass}: keep one`);
      }
      jobs.set(klass, {
        handler: checkedHandler(klass, handler, options, file),
        options,
        file: file.shown,
      });
    }
  }
  return jobs;
}

/** A module is for one klass, or has several by their names. */
function handlersOf({ shown, klass }: JobFile, exports: Exports): [string, unknown][] {
  const { default: handler, handlers, klass: own } = exports;
  const isOne = typeof handler === "function";
  if (own !== undefined && (typeof own !== "string" || own === "")) {
    throw invalid(`klass of ${shown} must be a text`);
  }
  if (handlers === undefined && isOne) return [[own ?? klass, handler]];
  if (handlers === undefined) {
    throw invalid(
      `${shown} has no handler: export a function as default, or handlers by klass; ` +
        "what is no job belongs outside of the folder",
    );
  }
  if (isOne || own !== undefined) {
    throw invalid(`${shown} exports handlers, so it can have no ${isOne ? "default" : "klass"}`);
  }
  if (typeof handlers !== "object" || handlers === null) {
    throw invalid(`handlers of ${shown} must be an object of functions by klass`);
  }
  return Object.entries(handlers);
}

function checkedOptions(shown: string, options: unknown): KlassOptions {
  if (options === undefined) return {};
  checkKnown(`of ${shown}`, options as object, KLASS_OPTIONS);
  const { whenSpent = "keep", use = [] } = options as KlassOptions;
  if (whenSpent !== "keep" && whenSpent !== "discard") {
    throw invalid(`whenSpent of ${shown} must be keep or discard`);
  }
  if (!Array.isArray(use) || !use.every((one) => typeof one === "function")) {
    throw invalid(`use of ${shown} must be a list of functions`);
  }
  return options as KlassOptions;
}

/** What the worker would refuse is refused here, where the file is known. */
function checkedHandler(
  klass: string,
  handler: unknown,
  options: KlassOptions,
  { shown }: JobFile,
): LoadedJob["handler"] {
  try {
    entryOf(klass, handler, options);
    return handler as LoadedJob["handler"];
  } catch (error) {
    throw error instanceof Invalid ? invalid(`${shown}: ${error.message}`) : error;
  }
}
