import { command } from "../command.ts";
import { namespaceKey } from "../keys.ts";
import { judgeLayout, LAYOUT } from "../layout.ts";
import { refuse } from "../refuse.ts";

/** Checks that the namespace's data has a layout that this core can read, and returns its number. */
export const layout = command({
  says: "Layout",
  takes: [],
  options: [],
  gives: "integer",
  writes: true,
  frees: true,
  judgesLayout: true,
  run(store) {
    const found = store.field(namespaceKey(), "layout");
    if (found === false) {
      judgeLayout(store);
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
