import type { QlessEvent } from "../../client/event-types.ts";
import type { EventFilter } from "../../client/events.ts";
import { invalid } from "../../client/times.ts";
import { FOREVER_MS, startInterval } from "../../timers.ts";
import type { Desk } from "../desk.ts";
import { plain } from "../plain.ts";
import { padded, painted } from "../terminal.ts";
import type { Verb } from "../verb.ts";

const EVENTS = [
  "put",
  "popped",
  "completed",
  "failed",
  "canceled",
  "advanced",
  "progress",
  "stalled",
  "lock_lost",
  "config_set",
  "config_unset",
  "audit",
  "damaged",
  "track",
  "untrack",
] as const;

export const tail: Verb = {
  name: "tail",
  about: "Print what happens as it happens, until it is told to stop.",
  flags: [
    { flag: "--event <a,b>", about: `only these: ${EVENTS.join(", ")}` },
    { flag: "--queue <queue>", about: "what happens in this queue" },
    { flag: "--jid <jid>", about: "what happens to this job" },
    { flag: "--tracked", about: "what happens to tracked jobs, pops among it" },
    { flag: "--worker <worker>", about: "what this worker is told" },
    { flag: "--count <n>", about: "stop after so many" },
  ],
  examples: ["qless tail", "qless tail --event failed,canceled --json | jq .message"],
  notes:
    "Events are notices: after a lost connection a line `missed` says that some may be lacking.",
  at: "queues",
  async run(desk) {
    const filter = filterIn(desk);
    const count = desk.flags.whole("count") ?? Number.POSITIVE_INFINITY;
    if (count === 0) throw invalid("--count must be 1 or more: leave it out for no end");
    const client = await desk.open();
    const stop = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stop.abort());
    // Listening to a file keeps no process alive by itself.
    const alive = startInterval(() => {}, FOREVER_MS);
    let told = 0;
    for await (const event of client.events.stream(filter, { signal: stop.signal })) {
      const at = new Date();
      desk.out.show({ at: at.toISOString(), ...event }, () => [lineOf(at, event)]);
      told += 1;
      if (told >= count) break;
    }
    clearInterval(alive);
    return undefined;
  },
};

function filterIn({ flags }: Desk): EventFilter {
  const event = flags.names("event");
  const unknown = event?.find((name) => !EVENTS.some((one) => one === name));
  if (unknown !== undefined) {
    throw invalid(`There is no event ${JSON.stringify(unknown)}: there are ${EVENTS.join(", ")}`);
  }
  const queue = flags.text("queue");
  const jid = flags.text("jid");
  const worker = flags.text("worker");
  return {
    ...(event !== undefined && { event: event as QlessEvent["event"][] }),
    ...(queue !== undefined && { queue }),
    ...(jid !== undefined && { jid }),
    ...(worker !== undefined && { worker }),
    ...(flags.is("tracked") && { channel: "tracked" }),
  };
}

const COLOURS = {
  failed: "red",
  completed: "green",
  lock_lost: "yellow",
  missed: "yellow",
} as const;

const textOf = (value: unknown) =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** One event on a line: the time, its name, its facts. */
export function lineOf(at: Date, { channel: _, event, ...facts }: QlessEvent): string {
  const told = Object.entries(facts).map(([name, value]) => plain(`${name}=${textOf(value)}`));
  const colour = COLOURS[event as keyof typeof COLOURS];
  const name = padded(event, 12);
  const shown = colour === undefined ? name : painted(name, colour);
  return `${at.toISOString().slice(11, 23)}  ${shown}  ${told.join(" ")}`.trimEnd();
}
