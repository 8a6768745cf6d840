import { command } from "../command.ts";
import { workerJobsKey } from "../keys.ts";
import { MAX_FACTS } from "../limits.ts";
import { seeWorker } from "../locks.ts";
import { forgetPresence, notePresence } from "../presence.ts";
import { refuse } from "../refuse.ts";
import type { Store } from "../store.ts";

/** Says what a worker is and does, for people to see; it counts for so long. */
export const workerPresent = command({
  says: "Present",
  takes: [
    ["worker", "name"],
    ["seconds", "seconds"],
    ["facts", "json"],
  ],
  options: [
    ["queues", "list"],
    ["klasses", "list"],
  ],
  gives: "integer",
  writes: true,
  frees: false,
  run(store, now, [worker, ms, facts], { queues, klasses }) {
    const said = { facts, queues: joined(queues), klasses: joined(klasses) };
    checkSize(store, "facts", said.facts);
    checkSize(store, "queues", said.queues);
    checkSize(store, "klasses", said.klasses);
    if (ms <= 0) forgetPresence(store, [worker]);
    else {
      seeWorker(store, now, worker);
      notePresence(store, worker, {
        until: now + ms,
        facts,
        queues: said.queues,
        klasses: said.klasses,
      });
    }
    return store.size(workerJobsKey(worker));
  },
});

const joined = (names: readonly string[] | undefined) =>
  names === undefined ? "" : names.join("\t");

function checkSize(store: Store, name: string, text: string): void {
  if (store.text.bytes(text) <= MAX_FACTS) return;
  refuse("BAD_ARGUMENT", `Arg "${name}" is longer than ${MAX_FACTS} bytes in all`);
}
