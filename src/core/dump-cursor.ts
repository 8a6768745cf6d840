import { type Shape, shapeOf } from "./carrying.ts";
import { isOffset, isPlaceInKeys } from "./check-cursor.ts";
import { currentNamespace } from "./keys.ts";
import { refuse } from "./refuse.ts";
import type { Store } from "./store.ts";
import { tagsJson } from "./tags.ts";

/** Something that is not told whole yet. */
export interface Open {
  name: string;
  shape: Shape;
  offset: number;
}

/** Where a dump is. Outside it is a JSON array: namespace, the store's cursor, what is open. */
export interface Place {
  at: string;
  open: Open[];
}

/** The place as text. */
export function placeJson(store: Store, { at, open }: Place): string {
  const list = [currentNamespace(), at];
  for (const { name, offset } of open) {
    list.push(store.text.integer(offset));
    list.push(name);
  }
  return tagsJson(store, list);
}

/** The place in a text; refuses one that dump has not given, or has given elsewhere. */
export function readPlace(store: Store, text: string): Place {
  if (text === "0") return { at: "0", open: [] };
  const list = store.text.list(text);
  if (list === undefined || list.length < 2 || list.length % 2 !== 0) return badPlace();
  const at = list[1]!;
  if (list[0] !== currentNamespace() || !isPlaceInKeys(store, at)) return badPlace();
  const open: Open[] = [];
  for (let i = 2; i < list.length; i += 2) {
    const name = list[i + 1]!;
    const shape = shapeOf(store, name);
    if (shape === undefined || !isOffset(store, list[i]!)) return badPlace();
    open.push({ name, shape, offset: store.text.value(list[i]!) });
  }
  return { at, open };
}

function badPlace(): never {
  return refuse("BAD_ARGUMENT", "The cursor is not one that dump has given");
}
