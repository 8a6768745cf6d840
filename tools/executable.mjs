/** Makes the command one that can be run: in a clone, nobody else does, and npx would be refused. */
import { chmodSync } from "node:fs";

chmodSync(new URL("../dist/cli/qless.js", import.meta.url), 0o755);
