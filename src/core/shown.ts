import type { Store } from "./store.ts";

/** A text as a message may repeat it: short, and never with a line break in it. */
export function shown(store: Store, text: string): string {
  if (text === "" || store.text.isName(text)) return text;
  const bytes = store.text.bytes(text);
  return bytes > 255 ? `(${bytes} bytes)` : store.text.quote(text);
}
