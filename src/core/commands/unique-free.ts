import { command } from "../command.ts";
import { freeKey } from "../uniques.ts";

/** Lets go of a unique key by hand; the job that held it stays. Tells whether it was held. */
export const uniqueFree = command({
  says: "Unique",
  takes: [["key", "name"]],
  options: [],
  gives: "integer",
  writes: true,
  frees: true,
  run: (store, now, [key]) => (freeKey(store, now, key) ? 1 : 0),
});
