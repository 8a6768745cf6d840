import { reachability } from "../lib/api.ts";
import { useNow } from "../lib/clock.ts";
import { clockTime, length } from "../lib/format.ts";
import { liveness } from "../lib/live.ts";
import { useStore } from "../lib/store.ts";

const WORDS = {
  connecting: ["Connecting", "Asks the server to tell what happens"],
  live: ["Live", "The server tells what happens as it happens"],
  polling: ["Polling", "The stream of events is cut off; the page asks every three seconds"],
  hidden: ["Paused", "Nobody sees the page"],
  lost: ["Stale", "The server does not answer"],
} as const;

/** Whether what is shown is as fresh as it looks. */
export function Liveness() {
  const { lostAt } = useStore(reachability);
  const state = useStore(liveness);
  const shown = lostAt === undefined ? state : "lost";
  const [word, title] = WORDS[shown];
  return (
    <span class={`liveness ${shown}`} title={title} role="status">
      {word}
    </span>
  );
}

/** Over the page while the server does not answer: what is shown is of then. */
export function StaleBanner() {
  const { lostAt, message } = useStore(reachability);
  useNow(1);
  if (lostAt === undefined) return null;
  return (
    <div class="stale" role="alert">
      {message}. What you see is from {clockTime(lostAt / 1000)},{" "}
      {length(Math.max(1, Math.round((Date.now() - lostAt) / 1000)))} ago; it is tried again.
    </div>
  );
}
