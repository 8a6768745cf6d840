import { now, useNow } from "../lib/clock.ts";
import { fullTime, length, relative } from "../lib/format.ts";

const dateOf = (moment: number) => {
  const date = new Date(moment * 1000);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
};

/** A moment as how long ago it is; the exact one is in its title. */
export function When({ at, class: name }: { at: number | null | undefined; class?: string }) {
  const isRecent = typeof at === "number" && Math.abs(now() - at) < 90;
  const shownAt = useNow(isRecent ? 1 : 10);
  if (typeof at !== "number" || at <= 0) return <span class="quiet">–</span>;
  return (
    <time class={name} dateTime={dateOf(at)} title={fullTime(at)}>
      {relative(at, shownAt)}
    </time>
  );
}

/** How long something has been going on. */
export function Since({ at }: { at: number | null | undefined }) {
  const shownAt = useNow(1);
  if (typeof at !== "number" || at <= 0) return <span class="quiet">–</span>;
  return (
    <time dateTime={dateOf(at)} title={fullTime(at)}>
      {length(Math.max(0, Math.floor(shownAt - at)))}
    </time>
  );
}
