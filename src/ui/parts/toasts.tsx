import { Store, useStore } from "../lib/store.ts";

interface Toast {
  id: number;
  text: string;
}

const toasts = new Store<readonly Toast[]>([]);
const SHOWN_MS = 6000;
let last = 0;

/** Says that something was done, for a while. */
export function say(text: string): void {
  last += 1;
  const toast = { id: last, text };
  toasts.set([...toasts.value.slice(-2), toast]);
  setTimeout(() => toasts.set(toasts.value.filter(({ id }) => id !== toast.id)), SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {useStore(toasts).map(({ id, text }) => (
        <p key={id} class="toast">
          {text}
        </p>
      ))}
    </div>
  );
}
