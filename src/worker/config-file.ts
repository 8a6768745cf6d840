import { readFile, stat } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { invalid } from "../client/times.ts";
import { checkedConfig, type WorkConfig } from "./config.ts";
import { importModule } from "./modules.ts";

const NAMES = ["ts", "mts", "js", "mjs", "json"].map((ending) => `qless.config.${ending}`);

/** A config that was read, and the file that it is from. */
export interface ConfigFile {
  file: string;
  config: WorkConfig;
}

/** Reads the config file that is named, or the one in the folder; undefined where there is none. */
export async function readConfig(folder: string, named?: string): Promise<ConfigFile | undefined> {
  const shown = named ?? (await found(folder));
  if (shown === undefined) return undefined;
  const path = resolve(folder, shown);
  if (!(await isFile(path))) throw invalid(`There is no config file ${shown}`);
  const config = checkedConfig(await contents(path, shown), shown);
  if (config.jobs === undefined) return { file: shown, config };
  return { file: shown, config: { ...config, jobs: resolve(dirname(path), config.jobs) } };
}

async function found(folder: string): Promise<string | undefined> {
  const there: string[] = [];
  for (const name of NAMES) if (await isFile(join(folder, name))) there.push(name);
  if (there.length < 2) return there[0];
  // To take one in silence would be to ignore what is in the other.
  throw invalid(`There are ${there.join(" and ")}: keep one, or say which with --config`);
}

const isFile = (path: string) =>
  stat(path).then(
    (it) => it.isFile(),
    () => false,
  );

async function contents(path: string, shown: string): Promise<unknown> {
  if (extname(path) === ".json") return parsed(await readFile(path, "utf8"), shown);
  const { default: config } = await importModule(path, shown);
  if (config !== undefined) return config;
  throw invalid(`${shown} has no config: export default defineConfig({ ... })`);
}

/** What the parser says quotes the text, and with it perhaps a password: only the place is told. */
function parsed(json: string, shown: string): unknown {
  try {
    return JSON.parse(json.replace(/^\ufeff/, ""));
  } catch (error) {
    const at = /position (\d+)/.exec((error as Error).message)?.[1];
    const before = json.slice(0, Number(at ?? 0)).split("\n");
    const place = at === undefined ? "" : ` from line ${before.length} on`;
    throw invalid(`${shown} is not JSON${place}`);
  }
}
