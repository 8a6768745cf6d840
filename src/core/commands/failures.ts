import { command } from "../command.ts";
import { failuresKey, groupKey, jobKey } from "../keys.ts";
import { FAILURE_GROUPS, FAILURE_LINE, FAILURE_SAMPLE } from "../limits.ts";
import { refuse } from "../refuse.ts";
import { inSeconds } from "../seconds.ts";
import type { Store } from "../store.ts";
import { tagsJson, unique } from "../tags.ts";

/** Groups that one call tells about unless it asks for more. */
const PAGE = 25;

/** Tells of groups of failed jobs, the largest first: since when, of what, and in which queues. */
export const failures = command({
  says: "Failures",
  takes: [
    ["offset", "whole", "?"],
    ["count", "count", "?"],
  ],
  options: [],
  gives: "json",
  writes: false,
  frees: false,
  run(store, _now, [offset, count]) {
    const most = count ?? PAGE;
    if (most > FAILURE_GROUPS) {
      refuse("BAD_ARGUMENT", `Arg "count" must be at most ${FAILURE_GROUPS}`);
    }
    const scored = store.highestScored(failuresKey(), offset ?? 0, most);
    const groups: string[] = [];
    for (let i = 0; i < scored.length; i += 2) {
      groups.push(groupJson(store, scored[i]!, scored[i + 1]!));
    }
    return "[" + groups.join(",") + "]";
  },
});

function groupJson(store: Store, group: string, count: string): string {
  const { text } = store;
  const newest = store.highest(groupKey(group), 0, FAILURE_SAMPLE);
  const oldest = store.lowest(groupKey(group), 0, 1)[0];
  const queues: string[] = [];
  for (const jid of newest) {
    const queue = store.fieldIfSound(jobKey(jid), "queue");
    if (queue !== undefined && queue !== false) queues.push(queue);
  }
  const jid = newest[0];
  const members = [
    `"group":${text.quote(group)}`,
    `"count":${count}`,
    `"first":${failedAt(store, oldest)}`,
    `"last":${failedAt(store, jid)}`,
    `"jid":${jid === undefined ? "null" : text.quote(jid)}`,
    `"message":${lineJson(store, jid)}`,
    `"queues":${tagsJson(store, unique(queues))}`,
  ];
  return `{${members.join(",")}}`;
}

/** When the job failed; the ranking says it less exactly, for it keeps failures of one moment apart. */
function failedAt(store: Store, jid: string | undefined): string {
  const at = jid === undefined ? undefined : store.fieldIfSound(jobKey(jid), "failedAt");
  return at === undefined || at === false ? "null" : inSeconds(store.text.value(at));
}

/** The first line of the message; a stack of its own would make the answer long. */
function lineJson(store: Store, jid: string | undefined): string {
  const message = jid === undefined ? undefined : store.fieldIfSound(jobKey(jid), "message");
  if (message === undefined || message === false) return "null";
  const line = store.text.divide(message, "\n")[0]!;
  return store.text.bytes(line) > FAILURE_LINE ? "null" : store.text.quote(line);
}
