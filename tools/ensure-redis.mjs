/** Sees to it that the tests find a redis-server: installs it where that is possible, else says how. */
import { ensure, has } from "./packages.mjs";

ensure({
  isThere: () => has("redis-server") && has("redis-cli"),
  packages: ["redis-server", "redis-tools"],
  advice: "The tests need redis-server and redis-cli 7 or later: install the package redis-server.",
});
