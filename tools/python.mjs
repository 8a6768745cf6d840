/** Which Python runs the tests of its clients: one that has the package redis. */
import { spawnSync } from "node:child_process";

/** The system's own comes last: another that is found first may lack the system's packages. */
const NAMES = ["python3", "/usr/bin/python3"];

const hasRedis = (python) => spawnSync(python, ["-c", "import redis"]).status === 0;

export const ADVICE =
  "The tests need Python 3.9 or later with the package redis: install python3 and python3-redis, or name the program in PYTHON.";

/** What PYTHON names, or the first Python that has the package; undefined if there is none. */
export function findPython() {
  const given = process.env.PYTHON;
  if (given !== undefined && given !== "") return hasRedis(given) ? given : undefined;
  return NAMES.find(hasRedis);
}

let found;

export function pythonPath() {
  found ??= findPython();
  if (found === undefined) throw new Error(ADVICE);
  return found;
}
