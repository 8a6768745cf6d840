import type { Socket } from "node:net";
import type { Reply } from "../engine.ts";
import { hearAlone } from "./connector.ts";
import { Reader } from "./reader.ts";

/** Hears what became of a command, once. */
export interface Asker {
  answered(reply: Reply): void;
  /** Redis has refused it, or the connection was lost before the answer came. */
  unanswered(error: Error): void;
}

/** A command on its way, in the order in which answers come. */
interface Asked {
  asker: Asker;
  next: Asked | undefined;
}

/**
 * Asks and answers over a socket that ioredis has connected and signed on with. From then on it is
 * ours: ioredis takes several times as long to write a command and to read its answer.
 */
export class Wire {
  readonly #socket: Socket;
  readonly #reader = new Reader({
    answer: (reply) => this.#shift().answered(reply),
    refuse: (error) => this.#shift().unanswered(error),
  });
  #first: Asked | undefined;
  #last: Asked | undefined;
  /** What is to leave at the end of this turn. */
  #unsent = "";
  readonly #flush = () => {
    const text = this.#unsent;
    this.#unsent = "";
    if (text !== "") this.#socket.write(text);
  };

  constructor(socket: Socket) {
    this.#socket = socket;
    // All that ioredis has asked is answered, so it has nothing more to hear.
    hearAlone(socket, (piece) => this.#read(piece));
  }

  /** Sends a command; tells whether it left, after which it may be carried out. */
  send(words: readonly string[], asker: Asker): boolean {
    if (!this.#socket.writable) {
      queueMicrotask(() => asker.unanswered(new Error("The socket is closed")));
      return false;
    }
    const asked = { asker, next: undefined };
    if (this.#last === undefined) this.#first = asked;
    else this.#last.next = asked;
    this.#last = asked;
    // Commands that are sent together leave in one piece: a third less work for Redis.
    if (this.#unsent === "") process.nextTick(this.#flush);
    this.#unsent += wireText(words);
    return true;
  }

  /** The socket is closed: no answer will come any more. */
  close(): void {
    let asked = this.#first;
    this.#first = undefined;
    this.#last = undefined;
    this.#unsent = "";
    for (; asked !== undefined; asked = asked.next) {
      asked.asker.unanswered(new Error("Connection is closed."));
    }
  }

  #read(piece: Buffer): void {
    try {
      this.#reader.read(piece);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  #shift(): Asker {
    const asked = this.#first;
    if (asked === undefined) throw new Error("Redis has answered what nobody asked");
    this.#first = asked.next;
    if (asked.next === undefined) this.#last = undefined;
    return asked.asker;
  }
}

/** A command as Redis reads it. */
export function wireText(words: readonly string[]): string {
  let text = `*${words.length}`;
  for (const word of words) text += sizeLine(word) + word;
  return `${text}\r\n`;
}

/** What stands before a word on the wire, with the ends of lines around it: most are short. */
const SIZE_LINES = Array.from({ length: 256 }, (_, bytes) => `\r\n$${bytes}\r\n`);

function sizeLine(word: string): string {
  const bytes = Buffer.byteLength(word);
  return SIZE_LINES[bytes] ?? `\r\n$${bytes}\r\n`;
}
