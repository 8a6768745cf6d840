/** Builds the Lua of an older commit in a temporary folder. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CannotMeasure, pathOf } from "./environment.mjs";

const root = pathOf("../..");

/** The dist folder of that commit, which is removed when this process exits. */
export function buildBase(commit) {
  const folder = mkdtempSync(join(tmpdir(), "qless-base-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const run = (program, ...args) => execFileSync(program, args, { cwd: root, stdio: "pipe" });
  try {
    run("git", "archive", `--output=${join(folder, "source.tar")}`, commit);
    run("tar", "-xf", join(folder, "source.tar"), "-C", folder);
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    run(process.execPath, join(folder, "tools/build-lua.mjs"));
  } catch (error) {
    throw new CannotMeasure(
      `"${commit}" is neither a dist folder nor a commit that can be built here:\n` +
        `${error.stderr?.toString().trim() || error.message}`,
    );
  }
  return join(folder, "dist");
}
