import { CARRYING } from "./carrying.ts";
import { CHANGING } from "./changing.ts";
import { LOOKING } from "./looking.ts";
import { PUTTING } from "./putting.ts";
import { RECURRING } from "./recurring.ts";
import type { Rows } from "./row.ts";
import { TENDING } from "./tending.ts";
import { WATCHING } from "./watching.ts";

/** What each verb is tried with; one that is not here fails the test. */
export const ROWS: Rows = {
  ...CARRYING,
  ...CHANGING,
  ...LOOKING,
  ...PUTTING,
  ...RECURRING,
  ...WATCHING,
  ...TENDING,
};
