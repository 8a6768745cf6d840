import { useEffect, useReducer, useRef } from "preact/hooks";
import { writeJson } from "../../json/raw-json.ts";
import { reachability } from "./api.ts";
import { hear, liveness } from "./live.ts";
import type { LiveEvent } from "./shapes.ts";

/** Something that pages show, as it was last told; what went wrong since, if anything did. */
export interface Resource<Value> {
  value: Value | undefined;
  error: Error | undefined;
  isLoading: boolean;
  /** When it was last told, in milliseconds. */
  at: number;
  refresh(): void;
}

export interface Watching {
  /** Milliseconds between two looks that nothing asked for. */
  every?: number;
  /** Milliseconds between two looks at least, however much happens. */
  gap?: number;
  /** Which events make it worth to look again; default none. */
  on?: (event: LiveEvent) => boolean;
}

interface Kept {
  value: unknown;
  text: string;
  at: number;
}

/** What was shown lately, so that a page that is come back to is there at once. */
const kept = new Map<string, Kept>();
const MAX_KEPT = 200;
/** Events may come by the thousand: it is looked again no more often than this, in milliseconds. */
const GAP_MS = 700;
const EVERY_MS = 5000;

function keep(key: string, value: unknown): boolean {
  const text = writeJson(value, replacer) ?? "";
  const isNew = kept.get(key)?.text !== text;
  const shown = isNew ? value : kept.get(key)!.value;
  kept.delete(key);
  kept.set(key, { value: shown, text, at: Date.now() });
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  return isNew;
}

const replacer = (_: string, value: unknown) => (value instanceof Map ? [...value] : value);

/** Forgets everything; for when somebody else looks. */
export const forgetAll = () => kept.clear();

/**
 * Shows something of the server and keeps it as it is there: on events, every few seconds, and when
 * the page is looked at again. What is shown stays until there is something newer.
 */
export function useResource<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  watching: Watching = {},
): Resource<Value> {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const latest = useRef({ load, watching });
  latest.current = { load, watching };
  const state = useRef<{ key: string; error: Error | undefined; isLoading: boolean }>({
    key: "",
    error: undefined,
    isLoading: true,
  });
  const looking = useRef<() => void>(() => undefined);
  if (state.current.key !== key) state.current = { key, error: undefined, isLoading: true };
  useEffect(() => {
    const look = new Looking(key, latest, state.current, () => draw(undefined as never));
    looking.current = () => look.now();
    return () => look.stop();
  }, [key]);
  const known = kept.get(key);
  return {
    value: known?.value as Value | undefined,
    error: state.current.error,
    isLoading: state.current.isLoading,
    at: known?.at ?? 0,
    refresh: () => looking.current(),
  };
}

type Latest = { current: { load(signal: AbortSignal): Promise<unknown>; watching: Watching } };

/** Looks again when there is reason to, one look at a time. */
class Looking {
  readonly #abort = new AbortController();
  readonly #key: string;
  readonly #latest: Latest;
  readonly #state: { error: Error | undefined; isLoading: boolean };
  readonly #draw: () => void;
  #isBusy = false;
  #isWanted = false;
  #lookedAt = 0;
  #timer: number | undefined;

  constructor(
    key: string,
    latest: Latest,
    state: { error: Error | undefined; isLoading: boolean },
    draw: () => void,
  ) {
    this.#key = key;
    this.#latest = latest;
    this.#state = state;
    this.#draw = draw;
    const { signal } = this.#abort;
    const leave = [
      hear((events) => this.#heard(events)),
      reachability.watch(() => reachability.value.lostAt === undefined && this.now()),
    ];
    const seen = () => !document.hidden && this.now();
    document.addEventListener("visibilitychange", seen, { signal });
    signal.addEventListener("abort", () => leave.forEach((one) => void one()));
    this.now();
  }

  now(): void {
    this.#isWanted = true;
    if (!this.#isBusy) void this.#look();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#abort.abort();
  }

  #heard(events: readonly LiveEvent[]): void {
    const { on, gap = GAP_MS } = this.#latest.current.watching;
    const wanted = events.some((event) => event.event === "missed" || on?.(event) === true);
    if (!wanted) return;
    this.#isWanted = true;
    if (!this.#isBusy) this.#after(Math.max(0, this.#lookedAt + gap - Date.now()));
  }

  #after(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.#look(), ms);
  }

  async #look(): Promise<void> {
    if (this.#isBusy || this.#abort.signal.aborted) return;
    this.#isBusy = true;
    this.#isWanted = false;
    this.#lookedAt = Date.now();
    const { signal } = this.#abort;
    const before = { ...this.#state };
    let isNew = false;
    try {
      isNew = keep(this.#key, await this.#latest.current.load(signal));
      this.#state.error = undefined;
    } catch (error) {
      this.#state.error = error as Error;
    }
    this.#isBusy = false;
    if (signal.aborted) return;
    this.#state.isLoading = false;
    const isSame = before.error?.message === this.#state.error?.message && !before.isLoading;
    if (isNew || !isSame) this.#draw();
    const { every = EVERY_MS, gap = GAP_MS } = this.#latest.current.watching;
    const pause = liveness.value === "live" ? every : Math.min(every, 3000);
    this.#after(this.#isWanted ? gap : document.hidden ? 60_000 : pause);
  }
}
