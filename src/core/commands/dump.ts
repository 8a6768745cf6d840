import { isStrip, keyOf, NAMESPACE, STRIP_FIELD, shapeOf } from "../carrying.ts";
import { command } from "../command.ts";
import { type Open, type Place, placeJson, readPlace } from "../dump-cursor.ts";
import { namespacePrefix } from "../keys.ts";
import { DUMP_BYTES, DUMP_SLICE, SLICE } from "../limits.ts";
import type { Store } from "../store.ts";
import { tagsJson } from "../tags.ts";

/**
 * Tells everything that there is, as it is kept, some of it at a time: for restore, here or in
 * another place. Begin with cursor `0`; it is over when `0` comes back.
 */
export const dump = command({
  says: "Dump",
  takes: [["cursor", "json"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run(store, _now, [cursor]) {
    const place = readPlace(store, cursor);
    const isFirst = cursor === "0";
    if (isFirst || (place.open.length === 0 && place.at !== "0")) walk(store, place);
    if (isFirst) place.open.push({ name: NAMESPACE, shape: "record", offset: 0 });
    const entries: string[] = [];
    const open = tellSome(store, place.open, entries);
    const isLast = open.length === 0 && place.at === "0";
    const next = isLast ? "0" : placeJson(store, { at: place.at, open });
    return '{"cursor":' + store.text.quote(next) + ',"entries":[' + entries.join(",") + "]}";
  },
});

/** Goes on through the keys, and opens those that are carried. */
function walk(store: Store, place: Place): void {
  const { text } = store;
  const prefix = namespacePrefix();
  const walked = store.keys(prefix, place.at, SLICE);
  for (const key of walked.keys) {
    const name = text.skip(key, text.bytes(prefix));
    const shape = shapeOf(store, name);
    if (shape !== undefined) place.open.push({ name, shape, offset: 0 });
  }
  place.at = walked.cursor;
}

/** Tells as much as one reply should hold; returns what is left to tell. */
function tellSome(store: Store, opened: Open[], entries: string[]): Open[] {
  const left: Open[] = [];
  let room = DUMP_SLICE;
  let bytes = DUMP_BYTES;
  for (const open of opened) {
    if (room <= 0 || bytes <= 0) left.push(open);
    else {
      const flat = partOf(store, open, room);
      const told = tagsJson(store, flat);
      const named = '{"key":' + store.text.quote(open.name) + ',"' + open.shape + '":';
      if (flat.length > 0) entries.push(named + told + "}");
      bytes -= store.text.bytes(told);
      const isCut = open.shape === "ranking" && flat.length >= 2 * room;
      if (isCut) left.push({ name: open.name, shape: open.shape, offset: open.offset + room });
      room -= flat.length / 2;
    }
  }
  return left;
}

/** A record or a strip whole, or some members of a ranking with their scores. */
function partOf(store: Store, { name, shape, offset }: Open, room: number): string[] {
  const key = keyOf(name);
  if (shape === "ranking") return store.lowestScored(key, offset, room);
  if (!isStrip(store, name)) return store.all(key);
  const noted = store.read(key);
  return noted === false ? [] : [STRIP_FIELD, noted];
}
