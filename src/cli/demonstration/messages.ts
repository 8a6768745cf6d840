import type { RoomName } from "./rooms.ts";

/** What the demonstration and its workers tell each other. */

/** Where the jobs are, and who the worker is; not in its arguments, where others could read it. */
export interface Post {
  url: string;
  namespace: string;
  room: RoomName;
  pace: number;
}

export type ToWorker = Post | "stop";

/** The worker's name once it works, or why it does not. */
export type FromWorker = { name: string } | { trouble: string };
