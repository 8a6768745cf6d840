import { command } from "../command.ts";
import { onLegacyEntry } from "../entry.ts";
import type { Fields } from "../job.ts";
import { recurKey } from "../keys.ts";
import { readRecurring } from "../recurring.ts";
import { inSeconds } from "../seconds.ts";
import type { Store } from "../store.ts";

/** Tells everything about a recurring job. */
export const recurGet = command({
  says: "Recur",
  takes: [["jid", "jid"]],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run(store, _now, [jid]) {
    const fields = readRecurring(store, jid);
    if (fields === undefined) return false;
    const { text } = store;
    const members = [
      `"jid":${text.quote(jid)}`,
      `"klass":${text.quote(fields.klass!)}`,
      '"state":"recur"',
      `"queue":${text.quote(fields.queue!)}`,
      `"priority":${fields.priority!}`,
      `"interval":${inSeconds(text.value(fields.interval!))}`,
      `"retries":${fields.retries!}`,
      `"count":${fields.count!}`,
      `"data":${text.quote(fields.data!)}`,
      `"tags":${fields.tags!}`,
      `"backlog":${fields.backlog!}`,
    ];
    const when = onLegacyEntry() ? undefined : whenNext(store, jid, fields);
    if (when !== undefined) members.push(when);
    return `{${members.join(",")}}`;
  },
});

/** When the next child comes, or that a pause keeps it from coming. */
function whenNext(store: Store, jid: string, fields: Fields): string | undefined {
  if (fields.paused !== undefined) return '"paused":true';
  const next = store.score(recurKey(fields.queue!), jid);
  return next === false ? undefined : `"next":${inSeconds(Math.floor(next * 1000 + 0.5))}`;
}
