import { command } from "../command.ts";
import { judgeSetting, queueOfSetting } from "../config.ts";
import { announceConfigSet } from "../events.ts";
import { callIdle } from "../idling.ts";
import { configKey, queueKey } from "../keys.ts";
import { refuseIf } from "../refuse.ts";

/** Changes a setting; docs/protocol.md lists them. */
export const configSet = command({
  says: "config.set",
  takes: [
    ["option", "name"],
    ["value", "text"],
  ],
  options: [],
  gives: "nothing",
  writes: true,
  frees: false,
  run(store, now, [option, value]) {
    refuseIf(judgeSetting(store, option, value));
    announceConfigSet(store, option, value);
    store.set(configKey(), [option, value]);
    for (const queue of queueOfSetting(store, option)) {
      store.set(queueKey(queue), ["own", "1", "more", "1"]);
      callIdle(store, now, queue);
    }
    return false;
  },
});
