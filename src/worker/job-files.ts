import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { invalid } from "../client/times.ts";

/** A module that is to be loaded. */
export interface JobFile {
  /** Its true place, links resolved. */
  path: string;
  /** What people call it: the folder as it was given, and the way from there. */
  shown: string;
  /** The klass that its place stands for. */
  klass: string;
}

export interface JobFiles {
  files: JobFile[];
  /** Links that lead out of the folder, or to a folder: nothing was loaded through them. */
  skipped: string[];
}

/** Folders within folders, files to load, and names to look at. */
const MAX_DEPTH = 8;
const MAX_FILES = 1000;
const MAX_NAMES = 10_000;

const MODULE = /\.(js|mjs|cjs|ts|mts)$/;
const NO_JOB = /\.d\.m?ts$|\.(test|spec)\.[^.]+$/;

/** The modules of a folder and the folders in it, or the one that is named. */
export async function jobFiles(given: string): Promise<JobFiles> {
  const root = await realpath(given).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "ENOENT" ? "There is no" : `Nobody can read (${error.code})`;
    throw invalid(`${why} ${given}: jobs must be a folder of modules, or one module`);
  });
  if (!(await stat(root)).isDirectory()) return oneFile(root, given);
  const walk = new Walk(root, given);
  await walk.enter(root, 1);
  if (walk.files.length === 0) {
    throw invalid(`There are no jobs in ${given}: it has no .js, .mjs, .cjs, .ts or .mts file`);
  }
  return {
    files: walk.files.toSorted((a, b) => (a.shown < b.shown ? -1 : 1)),
    skipped: walk.skipped,
  };
}

function oneFile(path: string, shown: string): JobFiles {
  if (!MODULE.test(path)) throw invalid(`${shown} is neither a folder nor a module of jobs`);
  return { files: [{ path, shown, klass: basename(shown).replace(MODULE, "") }], skipped: [] };
}

class Walk {
  readonly files: JobFile[] = [];
  readonly skipped: string[] = [];
  readonly #root: string;
  readonly #given: string;
  #names = 0;

  constructor(root: string, given: string) {
    this.#root = root;
    this.#given = given;
  }

  async enter(folder: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) {
      throw invalid(`${this.#shown(folder)} lies too deep: jobs may be ${MAX_DEPTH} folders deep`);
    }
    const entries = await readdir(folder, { withFileTypes: true });
    this.#names += entries.length;
    if (this.#names > MAX_NAMES) throw this.#tooMany(MAX_NAMES, "names");
    for (const entry of entries) {
      const { name } = entry;
      if (name.startsWith(".") || name === "node_modules") continue;
      const path = join(folder, name);
      if (entry.isDirectory()) await this.enter(path, depth + 1);
      else if (entry.isSymbolicLink() || isJob(name)) await this.#add(path, entry);
    }
  }

  async #add(path: string, entry: Dirent): Promise<void> {
    const target = await this.#target(path, entry);
    if (target === undefined) this.skipped.push(this.#shown(path));
    else if (isJob(entry.name)) {
      const way = relative(this.#root, path).replace(MODULE, "");
      this.files.push({
        path: target,
        shown: this.#shown(path),
        klass: way.replaceAll(sep, "."),
      });
    }
    if (this.files.length > MAX_FILES) throw this.#tooMany(MAX_FILES, "modules");
  }

  /**
   * Where a file truly is; undefined for links that are not followed. Those to files within are, for
   * that is how Kubernetes mounts files; through those to folders one could walk in circles.
   */
  async #target(path: string, entry: Dirent): Promise<string | undefined> {
    if (!entry.isSymbolicLink()) return entry.isFile() ? path : undefined;
    const target = await realpath(path).catch(() => undefined);
    if (target === undefined || !target.startsWith(this.#root + sep)) return undefined;
    return (await stat(target)).isFile() ? target : undefined;
  }

  #shown(path: string): string {
    return join(this.#given, relative(this.#root, path));
  }

  #tooMany(most: number, what: string) {
    return invalid(
      `There are more than ${most} ${what} in ${this.#given}: is it the right folder?`,
    );
  }
}

const isJob = (name: string) => MODULE.test(name) && !NO_JOB.test(name);
