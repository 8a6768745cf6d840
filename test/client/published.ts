import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT, read } from "../sources.ts";

/** The package as it is published, in a project of its own. */
export interface Published {
  project: string;
  /** What the tarball holds, by its path in the package. */
  files: string[];
  /** Whether npm has installed it, with dependencies from the registry. */
  byNpm: boolean;
  /** Bytes of the tarball, and milliseconds that the installation took. */
  size: number;
  installMs: number;
}

/** Packs what was built, and installs it in a new folder. */
export function publish(): Published {
  const project = mkdtempSync(join(tmpdir(), "qless-package-"));
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", project];
  const packed = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });
  const [{ filename, files, size }] = JSON.parse(packed) as [Packed];
  writeFileSync(join(project, "package.json"), JSON.stringify(MANIFEST));
  const begun = performance.now();
  const refusal = install(project, filename);
  if (refusal !== undefined) {
    console.warn(`npm cannot reach its registry (${refusal}): the tarball is unpacked by hand`);
    unpack(project, filename);
  }
  const installMs = performance.now() - begun;
  const paths = files.map(({ path }) => path);
  return { project, files: paths, byNpm: refusal === undefined, size, installMs };
}

interface Packed {
  filename: string;
  size: number;
  files: { path: string }[];
}

const { version } = JSON.parse(read("node_modules/better-sqlite3/package.json"));

/** Its binary is that of this project, so it must be the same version. */
const MANIFEST = { type: "module", private: true, overrides: { "better-sqlite3": version } };

const BINARY = "node_modules/better-sqlite3/build/Release/better_sqlite3.node";

/** What npm says where there is no network, or nobody who answers. */
const NETWORK =
  /npm error code (E(AI_AGAIN|NOTFOUND|NOTCACHED|CONN\w+|TIMEDOUT|NETUNREACH|HOSTUNREACH|5\d\d)|ERR_SOCKET_TIMEOUT)/;

/** Has npm install the tarball; tells the error if the network stands in the way. */
function install(project: string, tarball: string): string | undefined {
  const quiet = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
  const hurried = ["--fetch-retries=1", "--fetch-retry-mintimeout=500", "--fetch-timeout=15000"];
  const args = ["install", `./${tarball}`, ...quiet, ...hurried];
  const { status, stderr } = spawnSync("npm", args, { cwd: project, encoding: "utf8" });
  if (status !== 0) {
    const refusal = NETWORK.exec(stderr)?.[1];
    if (refusal === undefined) throw new Error(`npm install failed:\n${stderr}`);
    return refusal;
  }
  // Its script would have compiled it.
  mkdirSync(join(project, dirname(BINARY)), { recursive: true });
  cpSync(join(ROOT, BINARY), join(project, BINARY));
  // What the programs of the tests use besides.
  mkdirSync(join(project, "node_modules/@types"));
  for (const name of ["zod", "@types/node"]) link(project, name);
  return undefined;
}

/** Puts what the tarball holds beside the dependencies of this project, so that nothing is fetched. */
function unpack(project: string, tarball: string): void {
  const home = join(project, "node_modules/qless");
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", join(project, tarball), "--strip-components=1", "-C", home]);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (!name.startsWith(".")) link(project, name);
  }
}

function link(project: string, name: string): void {
  symlinkSync(join(ROOT, "node_modules", name), join(project, "node_modules", name));
}
