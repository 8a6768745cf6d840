import { command } from "../command.ts";
import { hasOwnSettings, queueOfSetting } from "../config.ts";
import { announceConfigUnset } from "../events.ts";
import { callIdle } from "../idling.ts";
import { configKey, queueKey } from "../keys.ts";

/** Brings a setting back to its default. */
export const configUnset = command({
  says: "config.unset",
  takes: [["option", "name"]],
  options: [],
  gives: "nothing",
  writes: true,
  frees: true,
  run(store, now, [option]) {
    announceConfigUnset(store, option);
    store.unset(configKey(), [option]);
    for (const queue of queueOfSetting(store, option)) {
      if (!hasOwnSettings(store, queue)) store.unset(queueKey(queue), ["own"]);
      callIdle(store, now, queue);
    }
    return false;
  },
});
