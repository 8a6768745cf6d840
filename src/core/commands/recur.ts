import { command } from "../command.ts";
import { comeAt } from "../idling.ts";
import { cronKey, queueKey, recurKey, recurringKey } from "../keys.ts";
import { makeKnown } from "../queue.ts";
import { judgeParent, planNext } from "../recurring.ts";
import { refuse } from "../refuse.ts";
import { tagsJson, unique } from "../tags.ts";

/** Defines a job that is put again at every interval. One that is paused stays so. */
export const recur = command({
  says: "Recur",
  takes: [
    ["queue", "name"],
    ["jid", "jid"],
    ["klass", "name"],
    ["data", "json"],
    ["spec", "text"],
    ["interval", "seconds"],
    ["offset", "seconds"],
  ],
  options: [
    ["priority", "priority"],
    ["tags", "list"],
    ["retries", "whole"],
    ["backlog", "whole"],
  ],
  gives: "text",
  writes: true,
  frees: false,
  run(store, now, [queue, jid, klass, data, spec, interval, offset], options) {
    if (spec !== "interval") refuse("BAD_ARGUMENT", "schedule type unknown: must be interval");
    judgeParent(store, jid);
    if (interval <= 0) refuse("BAD_ARGUMENT", 'Arg "interval" must be greater than 0');
    if (store.exists(cronKey(jid))) {
      refuse("JID_TAKEN", `There is a schedule ${jid}: drop it, or use another jid`);
    }
    const [count, old, paused] = store.fields(recurringKey(jid), ["count", "queue", "paused"]);
    if (old !== false && old !== queue) store.unrank(recurKey(old!), [jid]);
    store.set(recurringKey(jid), [
      "jid",
      jid,
      "klass",
      klass,
      "data",
      data,
      "priority",
      store.text.decimal(options.priority ?? 0),
      "tags",
      tagsJson(store, unique(options.tags ?? [])),
      "state",
      "recur",
      "queue",
      queue,
      "type",
      "interval",
      "count",
      count === false ? "0" : count!,
      "interval",
      interval,
      "retries",
      options.retries ?? 0,
      "backlog",
      options.backlog ?? 0,
    ]);
    const next = now + offset;
    planNext(store, { jid, queue, isPaused: paused !== false }, next);
    makeKnown(store, now, queue, store.field(queueKey(queue), "known"));
    if (paused === false) comeAt(store, now, queue, next);
    return jid;
  },
});
