import { type Announcement, MISSED, UPKEEP } from "../engine.ts";

/** Who did what as an operator: to what, in which queue, to how many jobs, and what else there is to say. */
export interface Note {
  by: string;
  action: string;
  to?: string | undefined;
  queue?: string | undefined;
  count?: number | undefined;
  facts?: Readonly<Record<string, unknown>> | undefined;
}

/** Everything that is announced to all, by its name. docs/protocol.md says when. */
export interface LogEvents {
  put: { jid: string; queue: string };
  /** `moved`: the queue that the job was brought into, if that is why. */
  lock_lost: { jid: string; worker: string; moved?: string };
  advanced: { jid: string; queue: string; to: string };
  completed: { jid: string; queue: string };
  failed: { jid: string; worker: string; group: string; message: string };
  canceled: { jid: string; queue: string; worker: string };
  /** A run has checked in. */
  progress: { jid: string; queue: string; worker: string; message: string; progress?: number };
  config_set: { option: string; value: string };
  config_unset: { option: string };
  /** What an operator did. */
  audit: Note;
  damaged: { jid: string; queue: string };
}

/** What watchers of tracked jobs hear. */
export type TrackedName =
  | "put"
  | "popped"
  | "completed"
  | "failed"
  | "stalled"
  | "canceled"
  | "progress"
  | "track"
  | "untrack";

export type LogEvent = {
  [Name in keyof LogEvents]: { channel: "log"; event: Name } & LogEvents[Name];
}[keyof LogEvents];

export interface TrackedEvent {
  channel: "tracked";
  event: TrackedName;
  jid: string;
}

/** What a worker is told: to stop what it no longer holds, or to come for a job, now or `at` a time. */
export type WorkerEvent = { channel: "worker"; to: string } & (
  | ({ event: "lock_lost" } & LogEvents["lock_lost"])
  | ({ event: "canceled" } & LogEvents["canceled"])
  | { event: "wake"; queue: string; worker: string; at?: number }
);

/** Some events may have been missed: a connection broke, or a reader was too slow. */
export interface MissedEvent {
  channel: "client";
  event: "missed";
}

export type QlessEvent = LogEvent | TrackedEvent | WorkerEvent | MissedEvent;

const NAMES: Readonly<Record<QlessEvent["event"], true>> = {
  put: true,
  popped: true,
  completed: true,
  failed: true,
  canceled: true,
  advanced: true,
  progress: true,
  stalled: true,
  lock_lost: true,
  wake: true,
  config_set: true,
  config_unset: true,
  audit: true,
  damaged: true,
  track: true,
  untrack: true,
  missed: true,
};

/** The names of all events. */
export const EVENT_NAMES = Object.keys(NAMES) as readonly QlessEvent["event"][];

/** An announcement as events: one for each job that it tells of. */
export function eventsFrom(announcement: Announcement): QlessEvent[] {
  try {
    return read(announcement);
  } catch {
    // Anyone who may publish in Redis can send other text on these channels.
    return [];
  }
}

function read({ channel, message }: Announcement): QlessEvent[] {
  if (channel === MISSED) return [{ channel: "client", event: "missed" }];
  if (channel.startsWith("w:")) {
    return [{ ...JSON.parse(message), channel: "worker", to: channel.slice(2) }];
  }
  // This is for the processes that do the time-based work. It says nothing of any job.
  if (channel === UPKEEP) return [];
  if (channel !== "log") {
    return [{ channel: "tracked", event: channel as TrackedName, jid: message }];
  }
  const { jids, ...told } = JSON.parse(message) as { jids?: string[] };
  if (jids === undefined) return [{ ...told, channel: "log" } as LogEvent];
  return jids.map((jid) => ({ ...told, jid, channel: "log" }) as LogEvent);
}
