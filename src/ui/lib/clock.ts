import { useEffect, useState } from "preact/hooks";
import { Store } from "./store.ts";

/** How far the engine's clock is ahead of this machine's, in milliseconds. */
let ahead = 0;

export function setClock(engineSeconds: number): void {
  ahead = engineSeconds * 1000 - Date.now();
}

/** Seconds since 1970, by the engine's clock. */
export const now = () => (Date.now() + ahead) / 1000;

/** What all relative times are drawn by; it moves once a second while somebody looks. */
const tick = new Store(0);
let timer: number | undefined;
let watchers = 0;

/** Draws the component again each second, or each ten. */
export function useNow(every: 1 | 10 = 1): number {
  const [, draw] = useState(0);
  useEffect(() => {
    watchers += 1;
    timer ??= window.setInterval(() => tick.set(tick.value + 1), 1000);
    const leave = tick.watch(() => {
      if (!document.hidden && tick.value % every === 0) draw((n) => n + 1);
    });
    return () => {
      leave();
      watchers -= 1;
      if (watchers > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, [every]);
  return now();
}
