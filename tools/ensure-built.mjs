/** Builds what `npm start` runs, unless nothing has changed since it was built. */
import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** What the build writes last. */
const BUILT = "dist/ui/index.html";
const CONFIGS = ["", ".build", ".lua", ".ui"].map((kind) => `tsconfig${kind}.json`);
const SOURCES = ["src", "tools", "package.json", "vite.config.ts", ...CONFIGS];

const timeOf = (path) => statSync(`${root}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The latest change to a file, or to what is in a folder. */
function changed(path) {
  const isFolder = statSync(`${root}${path}`).isDirectory();
  const inside = isFolder ? readdirSync(`${root}${path}`) : [];
  return Math.max(timeOf(path), ...inside.map((name) => changed(`${path}/${name}`)));
}

if (timeOf(BUILT) < Math.max(...SOURCES.map(changed))) {
  process.stdout.write("Building, which takes about half a minute ...\n");
  const { status } = spawnSync("npm", ["run", "build", "--silent"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  process.exitCode = status ?? 1;
}
