import { headersFor, reachability, urlOf } from "./api.ts";
import { wantsToken } from "./session.ts";
import type { LiveEvent } from "./shapes.ts";
import { messagesOf } from "./sse.ts";
import { Store } from "./store.ts";

/** How the page hears of changes: told by the server, or by asking again and again. */
export type Liveness = "connecting" | "live" | "polling" | "hidden";

export const liveness = new Store<Liveness>("connecting");

/** Workers are told to wake up far too often for anybody to follow; the rest is of interest. */
const KINDS =
  "put,lock_lost,advanced,completed,failed,canceled,progress,config_set,config_unset,damaged,popped,stalled,track,untrack,audit,bulk";
const TRACKED = new Set(["popped", "stalled", "track", "untrack"]);
/** Between attempts to follow again, in milliseconds. */
const AGAIN_MS = [500, 1000, 2000, 5000, 10_000];
/** The server says something every 15 s; whoever is silent for longer is gone. */
const SILENT_MS = 40_000;

type Hearer = (events: readonly LiveEvent[]) => void;

const hearers = new Set<Hearer>();
let lastId: string | undefined;
let attempt = 0;
let current: AbortController | undefined;

/** Hears what happens, some events at a time; an event `missed` when some may have been lost. */
export function hear(hearer: Hearer): () => void {
  hearers.add(hearer);
  return () => hearers.delete(hearer);
}

function tell(events: readonly LiveEvent[]): void {
  if (events.length > 0) for (const hearer of [...hearers]) hearer(events);
}

/** Follows events from now on, for as long as somebody sees the page: browsers allow few connections. */
export function follow(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) stop("hidden");
    else restart();
  });
  window.addEventListener("pagehide", () => stop("hidden"));
  if (!document.hidden) restart();
}

function stop(state: Liveness): void {
  current?.abort();
  current = undefined;
  liveness.set(state);
}

/** Begins anew, at once; for when a token was given. */
export function restart(): void {
  current?.abort();
  current = new AbortController();
  attempt = 0;
  void keepFollowing(current.signal);
}

async function keepFollowing(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const silence = new AbortController();
    try {
      await read(AbortSignal.any([signal, silence.signal]), () => silence.abort());
    } catch {
      // Whatever it was, it is tried again.
    }
    if (signal.aborted) return;
    liveness.set("polling");
    const pause = AGAIN_MS[Math.min(attempt, AGAIN_MS.length - 1)]!;
    attempt += 1;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function read(signal: AbortSignal, giveUp: () => void): Promise<void> {
  let timer = window.setTimeout(giveUp, SILENT_MS);
  try {
    const response = await fetch(urlOf(`/api/v1/events?channel=all&kind=${KINDS}`), {
      headers: { ...headersFor(false), ...(lastId !== undefined && { "last-event-id": lastId }) },
      signal,
    });
    if (response.status === 401) wantsToken.set("Send a token that this server knows");
    if (!response.ok || response.body === null) return;
    const isAgain = attempt > 0 || liveness.value === "hidden";
    attempt = 0;
    liveness.set("live");
    reachability.set({ lostAt: undefined, message: "" });
    if (isAgain) tell([{ channel: "client", event: "missed" }]);
    for await (const messages of messagesOf(response.body)) {
      clearTimeout(timer);
      timer = window.setTimeout(giveUp, SILENT_MS);
      for (const { id } of messages) lastId = id ?? lastId;
      tell(messages.flatMap(({ data }) => eventFrom(data)));
    }
  } finally {
    clearTimeout(timer);
  }
}

function eventFrom(data: string): LiveEvent[] {
  if (data === "") return [];
  const event = JSON.parse(data) as LiveEvent;
  if (event.channel === "worker") return [];
  if (event.channel === "tracked" && !TRACKED.has(event.event)) return [];
  return [event];
}
