import { eventsFrom } from "../client/event-types.ts";
import type { Announcement } from "../engine.ts";

/** What a worker is told, by what it has to do about it. */
export interface Ear {
  /** Something may have been announced that was not heard. */
  missed(): void;
  /** A lock was lost, or is about to be if it is not renewed. */
  lockLost(jid: string, isMoved: boolean): void;
  canceled(jid: string): void;
  /** There is a job in the queue. */
  woken(queue: string): void;
  /** There will be one at a time of the engine's clock, in seconds. */
  dueAt(seconds: number): void;
}

/** Hears announcements on a worker's channel. */
export function hearing(ear: Ear): (announcement: Announcement) => void {
  return (announcement) => {
    for (const event of eventsFrom(announcement)) {
      if (event.event === "missed") ear.missed();
      else if (event.channel !== "worker") continue;
      else if (event.event === "lock_lost") ear.lockLost(event.jid, event.moved !== undefined);
      else if (event.event === "canceled") ear.canceled(event.jid);
      else if (event.event !== "wake") continue;
      else if (event.at !== undefined) ear.dueAt(event.at);
      else ear.woken(event.queue);
    }
  };
}
