import type { RoomName } from "./rooms.ts";

/** What the demonstration and its workers tell each other. */

/** Where the jobs are, and what to do; not in arguments, where others could read a password. */
export interface Post {
  url: string;
  namespace: string;
  rooms: readonly RoomName[];
  pace: number;
}

export type ToWorker = Post | "stop";

/** That it works, or why it does not. */
export type FromWorker = { isAtWork: true } | { trouble: string };

/** What a worker of a room is called. */
export const nameOf = (room: RoomName, pid: number) => `${room}-${pid}`;
