import { Store, useStore } from "./store.ts";

/**
 * Where we are, after the `#` of the address: `#/queues/mail?state=waiting`. The server sees none of
 * it, so every link survives a reload under whatever path the interface lies.
 */
export interface Place {
  path: readonly string[];
  query: URLSearchParams;
  /** How far it was scrolled when it was left; 0 for one that is new. */
  scroll: number;
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

function placeFrom(hash: string, scroll = 0): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter((one) => one !== "");
  return { path: parts.map(decoded), query: new URLSearchParams(query), scroll };
}

const place = new Store<Place>(placeFrom(location.hash));

/** How far addresses were scrolled when they were left. */
const scrolled = new Map<string, number>();
const MAX_SCROLLED = 50;

// Lists come later than the browser would scroll to where one was in them.
history.scrollRestoration = "manual";
history.replaceState({ isKnown: true }, "");

window.addEventListener("hashchange", ({ oldURL, newURL }) => {
  scrolled.delete(oldURL);
  scrolled.set(oldURL, window.scrollY);
  if (scrolled.size > MAX_SCROLLED) scrolled.delete(scrolled.keys().next().value!);
  // An entry that was there before is one that somebody went back to, or forth.
  const isNew = history.state === null;
  if (isNew) history.replaceState({ isKnown: true }, "");
  place.set(placeFrom(location.hash, isNew ? 0 : scrolled.get(newURL)));
});

export const usePlace = () => useStore(place);
export const currentPlace = () => place.value;

type Query = Record<string, string | undefined>;

/** The address of a page: `linkTo(["queues", name], { state: "failed" })`. */
export function linkTo(path: readonly string[], query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(given as [string, string][]).toString();
  return `#/${path.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`;
}

/** The same page with some of its query changed; what depends on the rest, such as a cursor, must be dropped by name. */
export function withQuery({ path, query }: Place, changes: Query): string {
  const all: Query = { ...Object.fromEntries(query), ...changes };
  return linkTo(path, all);
}

export function goTo(link: string): void {
  location.hash = link;
}

export const jobLink = (jid: string) => linkTo(["jobs", jid]);
export const queueLink = (name: string, query: Query = {}) => linkTo(["queues", name], query);
export const searchLink = (q: string) => linkTo(["search"], { q });
