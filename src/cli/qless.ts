#!/usr/bin/env node
import { leaveQuietly } from "./output.ts";
import { run } from "./program.ts";
import { catchUncaught } from "./uncaught.ts";

catchUncaught();
leaveQuietly();
// Not when everything has ended by itself: modules of jobs may hold connections open for ever.
process.exit(await run(process.argv.slice(2)));
