import { cleaned } from "./given-json.ts";
import { store } from "./store.ts";

/** Makes what old clients send fit the arguments of the commands. */

/**
 * Makes a group of failures a name: applications give the message of an error, with line breaks and
 * of any length. A refusal would keep the worker from recording the failure at all.
 */
export function fitGroup(argv: string[], at: number): void {
  const group = argv[at];
  if (group === undefined) return;
  const fitting = string.sub(cleaned(group), 1, NAME_BYTES);
  argv[at] = fitting.length < group.length ? withoutTornEnd(fitting) : fitting;
}

const NAME_BYTES = 255;

/** The text without the beginning of a character at its end, of which the rest was cut off. */
function withoutTornEnd(text: string): string {
  for (let back = 1; back <= 4; back++) {
    const byte = string.byte(text, -back) as number | undefined;
    if (byte === undefined || byte < 0x80) return text;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return back === length ? text : string.sub(text, 1, -back - 1);
    }
  }
  return text;
}

/** Numbers among tags and jids used to be as good as texts. */
export function textList(json: string): string {
  const [decoded, tags] = pcall(cjson.decode, json);
  if (!decoded || type(tags) !== "table") return json;
  const quoted: string[] = [];
  for (const tag of tags as unknown[]) {
    if (type(tag) !== "string" && type(tag) !== "number") return json;
    quoted.push(store.text.quote(tostring(tag)));
  }
  return "[" + quoted.join(",") + "]";
}
