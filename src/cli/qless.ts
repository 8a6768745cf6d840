#!/usr/bin/env node
import { demonstrate } from "./demonstration.ts";

await demonstrate(process.argv.slice(2)[0]);
