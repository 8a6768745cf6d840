import { command } from "../command.ts";
import { namespaceKey } from "../keys.ts";
import { refuse } from "../refuse.ts";

/** The layout of records and rankings that this core reads and writes. */
export const LAYOUT = 1;

/** Makes sure that the namespace's data is of a layout this core knows, and tells which it is. */
export const layout = command({
  says: "Layout",
  takes: [],
  options: [],
  gives: "integer",
  writes: true,
  frees: true,
  run(store) {
    const found = store.field(namespaceKey(), "layout");
    if (found === false) {
      store.set(namespaceKey(), ["layout", LAYOUT]);
      return LAYOUT;
    }
    const number = store.text.number(found) ?? 0;
    if (number > LAYOUT) {
      refuse(
        "NEWER_LAYOUT",
        `The data has layout ${number}, this library knows ${LAYOUT}: update it`,
      );
    }
    return number;
  },
});
