import { type ChildProcess, fork } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker as Thread } from "node:worker_threads";
import { startTimer } from "../../timers.ts";
import { type ToChild, type ToParent, unmarked } from "./messages.ts";

/** How a child came to its end. */
export interface End {
  /** In words: `with code 1`, `by SIGKILL`. */
  how: string;
  /** The last that it wrote to its standard error, or what it threw. */
  last: string;
}

/** What a child runs in: a process or a thread. */
export interface Vehicle {
  readonly pid: number;
  send(message: ToChild): void;
  /** Asks it to end: a process is sent SIGTERM, a thread is not asked. */
  terminate(): void;
  /** Ends it, and all that it has started. */
  kill(): void;
}

export interface Rider {
  heard(message: ToParent): void;
  ended(end: End): void;
}

function hear(rider: Rider, sent: unknown): void {
  const message = unmarked(sent);
  if (message !== undefined) rider.heard(message);
}

/** Characters of the standard error that are remembered. */
const MAX_LAST = 2000;

/** Whoever holds a dead child's standard error is waited for so long, in milliseconds. */
const SWEEP_MS = 1000;

/** What children begin with: the same file, built or not. */
const INSIDE = new URL(`./inside${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/** Flags of this process that children share; two cannot be debugged on one port. */
const flags = () => process.execArgv.filter((flag) => !flag.startsWith("--inspect"));

/** A child in a process of its own, at the head of a group with whatever it starts. */
export class ProcessVehicle implements Vehicle {
  readonly #child: ChildProcess;
  #last = "";

  constructor(env: Record<string, string>, rider: Rider) {
    this.#child = fork(INSIDE, [], {
      env,
      execArgv: flags(),
      serialization: "advanced",
      // A group of its own, so that Ctrl-C reaches the parent alone and a kill reaches them all.
      detached: process.platform !== "win32",
      stdio: ["ignore", "inherit", "pipe", "ipc"],
    });
    this.#child.stderr!.on("data", (chunk: Buffer) => {
      process.stderr.write(chunk);
      this.#last = (this.#last + chunk.toString()).slice(-MAX_LAST);
    });
    this.#child.on("message", (sent) => hear(rider, sent));
    this.#child.on("error", (error) => {
      this.#last ||= error.message;
      // One that was never started does not exit.
      if (this.#child.pid === undefined) rider.ended({ how: "at birth", last: this.#last });
    });
    this.#child.on("exit", (code, signal) => {
      const how = signal === null ? `with code ${code}` : `by ${signal}`;
      this.#sweep(() => rider.ended({ how, last: this.#last }));
    });
  }

  /** Ends what it has started and left behind, and waits until all that was written has been read. */
  #sweep(done: () => void): void {
    this.kill();
    const timer = startTimer(done, SWEEP_MS);
    this.#child.once("close", () => {
      clearTimeout(timer);
      done();
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  send(message: ToChild): void {
    // What is said to one that is about to end is not heard, and its end tells enough.
    if (this.#child.connected) this.#child.send(message, () => {});
  }

  terminate(): void {
    this.#child.kill("SIGTERM");
  }

  kill(): void {
    try {
      process.kill(process.platform === "win32" ? this.pid : -this.pid, "SIGKILL");
    } catch {
      // Nobody is left.
    }
  }
}

/** A child in a thread of this process. */
export class ThreadVehicle implements Vehicle {
  readonly pid = process.pid;
  readonly #thread: Thread;

  constructor(env: Record<string, string>, rider: Rider) {
    this.#thread = new Thread(INSIDE, { env });
    let last = "";
    this.#thread.on("message", (sent) => hear(rider, sent));
    this.#thread.on("error", (error: Error) => {
      last = error.stack ?? String(error);
    });
    this.#thread.on("exit", (code) => rider.ended({ how: `with code ${code}`, last }));
  }

  send(message: ToChild): void {
    this.#thread.postMessage(message);
  }

  terminate(): void {
    this.kill();
  }

  kill(): void {
    this.#thread.terminate();
  }
}
