import { useEffect, useState } from "preact/hooks";

/** A value that several parts of the page look at. */
export class Store<Value> {
  #value: Value;
  readonly #watchers = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  get value(): Value {
    return this.#value;
  }

  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of [...this.#watchers]) watcher();
  }

  /** Calls back after each change, until the returned function is called. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  const [, draw] = useState(0);
  useEffect(() => {
    let seen = store.value;
    draw((n) => n + 1);
    return store.watch(() => {
      if (Object.is(seen, store.value)) return;
      seen = store.value;
      draw((n) => n + 1);
    });
  }, [store]);
  return store.value;
}
