/** Removes what an earlier build left, so that no file outlives its source. */
import { rmSync } from "node:fs";

rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
