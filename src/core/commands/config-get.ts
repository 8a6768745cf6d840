import { command } from "../command.ts";
import { DEFAULTS, isNumeric } from "../config.ts";
import { configKey } from "../keys.ts";
import type { Store } from "../store.ts";

/** Tells a setting, or all of them. */
export const configGet = command({
  says: "config.get",
  takes: [["option", "name", "?"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run(store, _now, [option]) {
    if (option === undefined) return allJson(store);
    const value = store.field(configKey(), option);
    if (value !== false) return value;
    for (const [name, fallback] of DEFAULTS) if (name === option) return fallback;
    return false;
  },
});

function allJson(store: Store): string {
  const flat = store.all(configKey());
  const members: string[] = [];
  for (let i = 0; i < flat.length; i += 2) members.push(memberJson(store, flat[i]!, flat[i + 1]!));
  for (const [name, fallback] of DEFAULTS) {
    if (store.field(configKey(), name) === false) members.push(memberJson(store, name, fallback));
  }
  return "{" + members.join(",") + "}";
}

/** Settings that are numbers are shown as numbers, whoever set them. */
function memberJson(store: Store, name: string, value: string): string {
  const number = isNumeric(store, name) ? store.text.number(value) : undefined;
  const shown = number === undefined ? store.text.quote(value) : store.text.decimal(number);
  return store.text.quote(name) + ":" + shown;
}
