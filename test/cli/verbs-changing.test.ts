import { CHANGING } from "./rows/changing.ts";
import { playAll } from "./rows/playing.ts";
import { PUTTING } from "./rows/putting.ts";

playAll({ ...PUTTING, ...CHANGING });
