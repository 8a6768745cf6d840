import { rmdirSync, rmSync } from "node:fs";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker as Thread } from "node:worker_threads";
import { startTimer } from "../../timers.ts";
import type { Beginning } from "./messages.ts";

/** When the parent is gone, handlers have so long to notice, in milliseconds. */
const FAREWELL_MS = 1000;

const WATCH = new URL(`./watch${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/** What a watching thread is told. */
export type Watched = Pick<Beginning, "folder" | "root" | "parent">;

/**
 * How a child that is a process comes to its end: with its parent at the latest, also when a
 * handler blocks its event loop, and not by a signal that was meant for the parent.
 */
export class End {
  readonly isProcess = isMainThread;
  /** Whether the parent has said that the next SIGTERM is for this process. */
  isDoomed = false;
  #watched: Watched | undefined;

  constructor(farewell: () => void) {
    if (!this.isProcess) return;
    // Service managers signal all processes of a service; the parent decides what that means.
    process.on("SIGTERM", () => {
      // Who listens besides has something to tidy up, and ends the process then.
      if (this.isDoomed && process.listenerCount("SIGTERM") === 1) process.exit(143);
    });
    for (const signal of ["SIGINT", "SIGQUIT", "SIGUSR2", "SIGHUP"] as const) {
      process.on(signal, () => {});
    }
    process.once("disconnect", () => {
      farewell();
      startTimer(() => this.#endAll(), FAREWELL_MS);
    });
  }

  #endAll(): void {
    if (this.#watched === undefined) process.exit(1);
    else endAll(this.#watched);
  }

  /** Has another thread look whether the parent is there: this one may be busy. */
  watch({ folder, root, parent }: Watched): void {
    if (!this.isProcess) return;
    this.#watched = { folder, root, parent };
    new Thread(WATCH, { workerData: this.#watched, env: {}, execArgv: [] }).unref();
  }
}

/** Ends this process and all that it has started, and takes its folder along. */
export function endAll({ folder, root }: Watched): void {
  try {
    rmSync(folder, { recursive: true, force: true });
    // The last of the children finds it empty.
    rmdirSync(root);
  } catch {
    // Others are still at it, or the system may keep it.
  }
  process.kill(process.platform === "win32" ? process.pid : -process.pid, "SIGKILL");
}
