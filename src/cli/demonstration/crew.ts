import { type ChildProcess, fork } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { startTimer } from "../../timers.ts";
import { Deadline } from "../../worker/deadline.ts";
import type { FromWorker, Post } from "./messages.ts";
import type { RoomName } from "./rooms.ts";

/** The same file, built or not. */
const MODULE = new URL(
  `./worker-process${extname(fileURLToPath(import.meta.url))}`,
  import.meta.url,
);

/** Who works, by process: two presses, so that one can take over from the other. */
const STAFF: readonly (readonly RoomName[])[] = [["office", "porter"], ["press"], ["press"]];
/** A worker that ends by itself again and again is started after rests up to this, in milliseconds. */
const LONGEST_REST_MS = 30_000;
/** Workers that were told to stop are waited for so long, in milliseconds. */
const STOP_MS = 5000;

interface Member {
  rooms: readonly RoomName[];
  child: ChildProcess;
  isAtWork?: boolean;
  /** Why it does not. */
  trouble?: string;
}

export interface CrewOptions extends Omit<Post, "rooms"> {
  /** The rest before a worker's place is filled again, in milliseconds. */
  restMs: number;
  /** Told why a worker ended that nobody had ended, the first time. */
  onTrouble(sentence: string): void;
}

/** The workers of the demonstration, each a process. None outlives this one, however it ends. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #members = new Set<Member>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopping = false;
  /** How often in a row a worker could not start. */
  #failures = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  start(): void {
    for (const rooms of STAFF) this.#hire(rooms);
  }

  /** Who works in a room, the longest there first. */
  pidsIn(room: RoomName): number[] {
    return [...this.#members].flatMap(({ rooms, child, isAtWork }) =>
      isAtWork && rooms.includes(room) && child.pid !== undefined ? [child.pid] : [],
    );
  }

  /** Kills a process in the middle of what it does; its place is filled after the rest. */
  kill(pid: number): void {
    for (const { child } of this.#members) if (child.pid === pid) child.kill("SIGKILL");
  }

  /** Has all of them stop, which give back what they cannot finish; resolves when none is left. */
  async stop(): Promise<void> {
    this.#close();
    const all = [...this.#members].map(({ child }) => child);
    const gone = Promise.all(
      all.map((child) => new Promise((resolve) => child.once("exit", resolve))),
    );
    for (const child of all) if (child.connected) child.send("stop", () => {});
    if (await new Deadline(STOP_MS).meets(gone)) return;
    this.end();
    await gone;
  }

  /** Ends all of them at once; others get their jobs when the locks expire. */
  end(): void {
    this.#close();
    for (const { child } of this.#members) child.kill("SIGKILL");
  }

  #close(): void {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #hire(rooms: readonly RoomName[]): void {
    const { url, namespace, pace } = this.#options;
    const child = fork(MODULE, [], {
      // A group of its own, so that Ctrl-C reaches this process alone.
      detached: process.platform !== "win32",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const member: Member = { rooms, child };
    this.#members.add(member);
    child.on("message", (message: FromWorker) => this.#heard(member, message));
    child.on("error", (error) => Object.assign(member, { trouble: error.message }));
    child.once("exit", () => this.#left(member));
    child.send({ url, namespace, rooms, pace } satisfies Post, () => {});
  }

  #heard(member: Member, message: FromWorker): void {
    Object.assign(member, message);
    if (member.isAtWork) this.#failures = 0;
  }

  #left(member: Member): void {
    this.#members.delete(member);
    if (this.#isStopping) return;
    const { restMs, onTrouble } = this.#options;
    if (!member.isAtWork) {
      this.#failures += 1;
      if (this.#failures === 1) onTrouble(member.trouble ?? "it ended by itself");
    }
    const restFor = Math.min(restMs * 2 ** Math.min(this.#failures, 10), LONGEST_REST_MS);
    const timer = startTimer(() => {
      this.#timers.delete(timer);
      this.#hire(member.rooms);
    }, restFor);
    this.#timers.add(timer);
  }
}
