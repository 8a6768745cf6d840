import { isMainThread, parentPort } from "node:worker_threads";
import { marked, type ToChild, type ToParent } from "./messages.ts";

/** How a child, in whichever vehicle, hears its parent and speaks to it. */
export interface Port {
  send(message: ToParent): void;
  listen(hear: (message: ToChild) => void): void;
}

export function port(): Port {
  if (!isMainThread) {
    const thread = parentPort!;
    return {
      send: (message) => thread.postMessage(marked(message)),
      listen: (hear) => void thread.on("message", hear),
    };
  }
  return {
    send: (message) => {
      // The parent is gone, or about to be, and this process with it.
      if (process.connected) process.send!(marked(message), undefined, {}, () => {});
    },
    listen: (hear) => void process.on("message", (message) => hear(message as ToChild)),
  };
}
