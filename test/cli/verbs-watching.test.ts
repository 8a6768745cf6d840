import { playAll } from "./rows/playing.ts";
import { WATCHING } from "./rows/watching.ts";

playAll(WATCHING);
