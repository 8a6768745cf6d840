import { CARRYING } from "./rows/carrying.ts";
import { LOOKING } from "./rows/looking.ts";
import { playAll } from "./rows/playing.ts";
import { TENDING } from "./rows/tending.ts";

playAll({ ...LOOKING, ...TENDING, ...CARRYING });
