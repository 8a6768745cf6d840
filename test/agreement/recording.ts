import type { Command } from "../../src/core/command.ts";
import type { Store } from "../../src/core/store.ts";

const READS = [
  "field",
  "fieldIfSound",
  "fields",
  "fieldsIfSound",
  "all",
  "allIfSound",
  "exists",
  "existsAny",
  "kind",
  "score",
  "size",
  "sizeBetween",
  "lowest",
  "highest",
  "lowestScored",
  "highestScored",
  "between",
  "betweenScored",
  "highestBelow",
  "position",
  "mayHear",
  "keys",
];

/** Whether a call of a store changes something, or tells the world of a change. */
export const isWrite = (method: string): boolean => !READS.includes(method);

/** Stands in front of a store and hears each call before it is made. */
export function overheard(store: Store, hear: (method: string, args: unknown[]) => void): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      return (...args: unknown[]): unknown => {
        hear(name, args);
        return Reflect.apply(member, target, args);
      };
    },
  });
}

export const isRefusal = (thrown: unknown): thrown is { err: string } =>
  typeof thrown === "object" && thrown !== null && "err" in thrown;

interface Watched {
  watched: Store;
  writes: string[];
}

/** One for each store: the core recognizes a store that it has seen before. */
const stores = new WeakMap<Store, Watched>();

function watchedStore(store: Store): Watched {
  const known = stores.get(store);
  if (known !== undefined) return known;
  const writes: string[] = [];
  const watched = overheard(store, (method) => {
    if (isWrite(method)) writes.push(method);
  });
  stores.set(store, { watched, writes });
  return { watched, writes };
}

/** The command, held to refusing before its first write: Redis would not undo what it wrote. */
export function refusingFirst(name: string, command: Command): Command {
  return {
    ...command,
    run(store, ...rest) {
      const { watched, writes } = watchedStore(store);
      writes.length = 0;
      try {
        return command.run(watched, ...rest);
      } catch (thrown) {
        if (!isRefusal(thrown) || writes.length === 0) throw thrown;
        throw new Error(`${name} refused (${thrown.err}) after ${writes.join(", ")}`);
      }
    },
  };
}
