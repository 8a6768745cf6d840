import { CHANGING } from "./rows/changing.ts";
import { playAll } from "./rows/playing.ts";

playAll(CHANGING);
