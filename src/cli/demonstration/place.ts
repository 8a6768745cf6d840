import { mkdirSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { invalid } from "../../client/times.ts";
import { placeOf } from "../plain.ts";

/** Whoever shares a Redis with others has these keys to themselves. */
export const NAMESPACE = "qless-demo";

/** Where the demonstration keeps its jobs. */
export interface Place {
  url: string;
  /** For people: without a password. */
  shown: string;
  /** The folder, if it was made just now. */
  made: string | undefined;
}

const DEFAULT_FOLDER = "data";
const FILE = "demo.db";

/** The place that flags name: Redis, or a file in a folder, which is made if it is missing. */
export function placeFrom({
  redis,
  data,
}: {
  redis?: string | undefined;
  data?: string | undefined;
}): Place {
  if (redis === undefined) return folderAt(data ?? DEFAULT_FOLDER);
  if (data !== undefined) throw invalid("Say --redis or --data, not both: jobs are in one place");
  if (!/^rediss?:\/\//.test(redis))
    throw invalid("--redis must be a URL such as redis://localhost");
  return { url: redis, shown: placeOf(redis), made: undefined };
}

const TROUBLE: Readonly<Record<string, string>> = {
  EEXIST: "it is a file, not a folder",
  ENOTDIR: "a part of its path is a file",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "nothing can be written there",
  ENOSPC: "the disk is full",
  ENOENT: "no folder can be made there",
};

function folderAt(folder: string): Place {
  try {
    const made = isMade(resolve(folder));
    const file = join(resolve(folder), FILE);
    const shown = `sqlite:${nearest(file)}`;
    return { url: `sqlite:${file}`, shown, made: made ? nearest(resolve(folder)) : undefined };
  } catch (error) {
    const why = TROUBLE[(error as NodeJS.ErrnoException).code ?? ""];
    if (why === undefined) throw error;
    throw invalid(`The folder ${folder} cannot be used: ${why}; name another with --data`);
  }
}

/**
 * Makes the folder and those above it; false if it is there. Node's own way tries without end where
 * a folder that is there takes none, as in /proc.
 */
function isMade(folder: string): boolean {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
  const above = dirname(folder);
  if (above !== folder) isMade(above);
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    // Somebody else was faster, or it is a file.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
    throw error;
  }
}

/** The path from here, if it is shorter. */
function nearest(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith("..") ? path : near;
}
