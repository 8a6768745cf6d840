import { Store, useStore } from "./store.ts";

/**
 * Where we are, after the `#` of the address: `#/queues/mail?state=waiting`. The server sees none of
 * it, so every link survives a reload under whatever path the interface lies.
 */
export interface Place {
  path: readonly string[];
  query: URLSearchParams;
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

function placeFrom(hash: string): Place {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter((one) => one !== "");
  return { path: parts.map(decoded), query: new URLSearchParams(query) };
}

const place = new Store<Place>(placeFrom(location.hash));

window.addEventListener("hashchange", () => place.set(placeFrom(location.hash)));

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

/** Changes the address without a step that the back button would go through. */
export function replaceWith(link: string): void {
  history.replaceState(null, "", link);
  place.set(placeFrom(link));
}

export const jobLink = (jid: string) => linkTo(["jobs", jid]);
export const queueLink = (name: string, query: Query = {}) => linkTo(["queues", name], query);
export const searchLink = (q: string) => linkTo(["search"], { q });
