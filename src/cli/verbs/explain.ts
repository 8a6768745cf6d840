import type { Explanation, Reason } from "../../client/explain.ts";
import { counted } from "../changing.ts";
import { dateOf } from "../moments.ts";
import { plain } from "../plain.ts";
import type { Verb } from "../verb.ts";

export const explain: Verb = {
  name: "explain",
  about: "Tell why a job is not running.",
  words: [{ word: "<jid>", about: "the job" }],
  examples: ["qless explain welcome-7"],
  at: "queues",
  async run(desk) {
    const told = await (await desk.open()).explain(desk.words[0]!);
    desk.out.show({ ...told, reasons: told.reasons.map(inSeconds) }, () => explanationLines(told));
    return undefined;
  },
};

/** Times as the protocol tells them. */
function inSeconds(reason: Reason): object {
  const entries = Object.entries(reason).map(([name, value]) => {
    return [name, value instanceof Date ? value.getTime() / 1000 : value];
  });
  return Object.fromEntries(entries);
}

export function explanationLines({ jid, state, queue, reasons }: Explanation): string[] {
  const place = queue === "" ? "" : ` in ${queue}`;
  const first = `${jid} is ${state}${place}.`;
  const told =
    reasons.length === 0 ? ["It is the next to be handed out."] : reasons.map(sentenceOf);
  return [first, ...told.map((sentence) => `- ${sentence}`)].map(plain);
}

function sentenceOf(told: Reason): string {
  switch (told.reason) {
    case "complete":
      return "It has run, and is complete.";
    case "failed":
      return `It failed in group ${told.group}: ${told.message}. Let it run again: qless retry.`;
    case "locked":
      return `It is running: ${told.worker} holds it until ${dateOf(told.until)}.`;
    case "lock-expired":
      return `The lock of ${told.worker} has expired; the next pop or tick takes the job away.`;
    case "depends":
      return `It waits for ${counted(told.count)}: ${told.on.join(", ")}.`;
    case "scheduled":
      return `It is due ${dateOf(told.until)}.`;
    case "paused":
      return `Its queue is paused${told.why ? `: ${told.why}` : ""}${told.until ? `, until ${dateOf(told.until)}` : ""}.`;
    case "concurrency":
      return `As many jobs of its queue run as may: ${told.limit}.`;
    case "behind":
      return `${counted(told.count)} of its queue ${told.count === 1 ? "comes" : "come"} first.`;
    case "not-asked":
      return told.since === undefined
        ? "No worker has ever asked its queue for jobs: start one with qless work."
        : `No worker has asked its queue for jobs since ${dateOf(told.since)}.`;
    case "no-handler":
      return told.workers === 1
        ? `The one worker of its queue has no handler for klass ${told.klass}.`
        : `None of the ${told.workers} workers of its queue has a handler for klass ${told.klass}.`;
    default:
      // A newer core may know more reasons.
      return JSON.stringify(told);
  }
}
