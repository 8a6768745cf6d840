/** What the tests need of the system: finds it, or installs it from the system's packages. */
import { spawnSync } from "node:child_process";

export const has = (command) => spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0;

const run = (command, ...args) => {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"], env }).status === 0;
};

/** Sees to it that `isThere`; where nothing can be installed, says in one line what to do, and ends. */
export function ensure({ isThere, packages, advice }) {
  if (isThere()) return;
  if (process.getuid?.() === 0 && has("apt-get")) {
    const names = packages.join(" and ");
    process.stdout.write(`Installing ${names} from the system's packages for the tests...\n`);
    run("apt-get", "update", "-q");
    run("apt-get", "install", "-y", "-q", "--no-install-recommends", ...packages);
  }
  if (isThere()) return;
  process.stderr.write(`${advice}\n`);
  process.exit(1);
}
