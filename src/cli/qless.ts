#!/usr/bin/env node
import { leaveQuietly, written } from "./output.ts";
import { run } from "./program.ts";
import { catchUncaught } from "./uncaught.ts";

catchUncaught();
leaveQuietly();
const code = await run(process.argv.slice(2));
await written();
// Not when everything has ended by itself: modules of jobs may hold connections open for ever.
process.exit(code);
