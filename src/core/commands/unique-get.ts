import { command } from "../command.ts";
import { holderOf } from "../uniques.ts";

/** Tells which job holds a unique key. */
export const uniqueGet = command({
  says: "Unique",
  takes: [["key", "name"]],
  options: [],
  gives: "text",
  writes: false,
  frees: false,
  run: (store, now, [key]) => holderOf(store, now, key),
});
