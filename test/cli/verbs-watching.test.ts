import { playAll } from "./rows/playing.ts";
import { RECURRING } from "./rows/recurring.ts";
import { WATCHING } from "./rows/watching.ts";

playAll({ ...WATCHING, ...RECURRING });
