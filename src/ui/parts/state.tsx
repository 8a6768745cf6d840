import type { State as StateName } from "../lib/shapes.ts";

/** A shape for each state, so that colour is never all there is. */
const SHAPES: Record<string, string> = {
  waiting: "M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11M8 5v3.2l2.2 1.6",
  running: "M4.5 2.8v10.4l8.5-5.2z",
  stalled: "M8 2.2l6.2 11.3H1.8zM8 6.2v3.4M8 11.4v.4",
  scheduled: "M3 4h10v9.5H3zM3 7h10M5.8 2v3M10.2 2v3",
  depends: "M2.5 8h3M10.5 8h3M8 5.5a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5",
  complete: "M2.8 8.4l3.4 3.4l7-7.4",
  failed: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  paused: "M5.5 3v10M10.5 3v10",
  recurring: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  gone: "M3 8h10",
};

export function Shape({ of }: { of: string }) {
  return (
    <svg class="shape" viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">
      <path d={SHAPES[of] ?? SHAPES.gone!} />
    </svg>
  );
}

/** A state by its word, its shape and its colour. */
export function State({ state }: { state: StateName | "paused" | "recurring" | "gone" }) {
  return (
    <span class={`state ${state in SHAPES ? state : "gone"}`}>
      <Shape of={state} />
      {state}
    </span>
  );
}
