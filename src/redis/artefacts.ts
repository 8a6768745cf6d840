import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type CommandName, Unreachable } from "../engine.ts";

/** What `npm run build` makes of the core for Redis. */
export interface Artefacts {
  /** The function library, with its `#!lua name=qless` line. */
  functions: string;
  /** The same for EVALSHA, without a first line. */
  script: string;
  manifest: Manifest;
  /** How Redis must treat each command: known without loading the core, which runs in Redis. */
  kinds: Readonly<Record<CommandName, Kind>>;
}

/** Which library this is: newer versions replace older ones, and the hash tells builds apart. */
export interface Manifest {
  version: string;
  hash: string;
}

/** A script with the flags that a kind of command needs, and the name Redis gives it. */
export interface Script {
  text: string;
  sha: string;
}

/** One script for each way in which Redis must treat a command. */
export interface Scripts {
  reading: Script;
  writing: Script;
  /** For commands that must run when memory is full, since they free it. */
  freeing: Script;
}

/** How Redis must treat a command. */
export type Kind = keyof Scripts;

let built: Promise<Artefacts> | undefined;

/** The artefacts of the build, read once per process. */
export function builtArtefacts(): Promise<Artefacts> {
  built ??= readArtefacts().catch((error: unknown) => {
    built = undefined;
    throw error;
  });
  return built;
}

async function readArtefacts(): Promise<Artefacts> {
  const [functions, script, manifest] = await Promise.all([
    readBuilt("qless.functions.lua"),
    readBuilt("qless.script.lua"),
    readBuilt("manifest.json"),
  ]);
  const { kinds, ...which } = JSON.parse(manifest) as Manifest & Pick<Artefacts, "kinds">;
  return { functions, script, manifest: which, kinds };
}

async function readBuilt(name: string): Promise<string> {
  // The same folder from src/redis and from dist/redis.
  const file = new URL(`../../dist/${name}`, import.meta.url);
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new Unreachable("NOT_BUILT", `dist/${name} is missing: run npm run build`, { cause });
  }
}

const scripts = new WeakMap<Artefacts, Scripts>();

/** The script in its three variants. They are long, and so hashed once and only for who needs them. */
export function scriptsOf(artefacts: Artefacts): Scripts {
  let made = scripts.get(artefacts);
  if (made === undefined) {
    made = scriptsFrom(artefacts.script);
    scripts.set(artefacts, made);
  }
  return made;
}

function scriptsFrom(text: string): Scripts {
  return {
    reading: script(`#!lua flags=no-writes\n${text}`),
    writing: script(`#!lua\n${text}`),
    freeing: script(`#!lua flags=allow-oom\n${text}`),
  };
}

function script(text: string): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex") };
}
