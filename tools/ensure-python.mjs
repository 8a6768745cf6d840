/** Sees to it that the tests find a Python with redis: installs it where that is possible, else says how. */
import { ensure } from "./packages.mjs";
import { ADVICE, findPython } from "./python.mjs";

ensure({
  isThere: () => findPython() !== undefined,
  packages: ["python3", "python3-redis"],
  advice: ADVICE,
});
