/** Sees to it that the tests find a redis-server: installs it where that is possible, else says how. */
import { spawnSync } from "node:child_process";

const has = (command) => spawnSync(command, ["--version"], { stdio: "ignore" }).status === 0;
const run = (command, ...args) => {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"], env }).status === 0;
};

if (!has("redis-server") || !has("redis-cli")) {
  const canInstall = process.getuid?.() === 0 && has("apt-get");
  if (canInstall) {
    process.stdout.write("Installing redis-server from the system's packages for the tests...\n");
    run("apt-get", "update", "-q");
    run("apt-get", "install", "-y", "-q", "--no-install-recommends", "redis-server", "redis-tools");
  }
  if (!has("redis-server") || !has("redis-cli")) {
    process.stderr.write(
      "The tests need redis-server and redis-cli 7 or later: install the package redis-server.\n",
    );
    process.exit(1);
  }
}
