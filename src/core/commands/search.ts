import { command } from "../command.ts";
import { SEARCH_SLICE } from "../limits.ts";
import { refuse } from "../refuse.ts";
import { judgeCriteria, SEARCH_OPTIONS } from "../search-criteria.ts";
import { cursorText, readWalk } from "../search-cursor.ts";
import { type Page, walkOn } from "../search-page.ts";
import { tagsJson } from "../tags.ts";

/** Finds jobs of which all criteria hold, a slice of the narrowest indexes per call. */
export const search = command({
  says: "Search",
  takes: [
    ["cursor", "text"],
    ["count", "count"],
  ],
  options: SEARCH_OPTIONS,
  gives: "json",
  writes: false,
  frees: false,
  run(store, now, [cursor, count], criteria) {
    judgeCriteria(store, criteria);
    if (count === 0) refuse("BAD_ARGUMENT", 'Arg "count" must be at least 1');
    const walk = readWalk(store, criteria, cursor);
    const page: Page = { now, criteria, count, jids: [], looked: 0, left: SEARCH_SLICE };
    walkOn(store, page, walk);
    const next = store.text.quote(cursorText(store, criteria, walk));
    const jids = tagsJson(store, page.jids);
    return '{"jids":' + jids + ',"cursor":' + next + `,"looked":${page.looked}}`;
  },
});
