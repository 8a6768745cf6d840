import { createConnection, type Socket } from "node:net";
import { AbstractConnector, type RedisOptions } from "ioredis";

/**
 * What comes is read into here, by all connections in turn, and whoever wants to keep it makes a
 * copy. Left to itself, Node takes 64 kB anew for every answer, which is a tenth of what a job
 * costs it where one runs at a time.
 */
const BUFFER = Buffer.allocUnsafeSlow(65_536);

type Hearer = (piece: Buffer) => void;

/** The sockets that were opened here, and who alone hears what comes by them. */
const hearers = new WeakMap<Socket, Hearer | undefined>();

/** Connects to the one server that the options name, without TLS. */
export class Connector extends AbstractConnector {
  readonly #options: RedisOptions;

  constructor(options: unknown) {
    super((options as RedisOptions).disconnectTimeout ?? 0);
    this.#options = options as RedisOptions;
  }

  async connect(): Promise<Socket> {
    this.connecting = true;
    // Whoever changes their mind at once has not connected.
    await undefined;
    if (!this.connecting) throw new Error("Connection is closed.");
    const socket = opened(this.#options);
    socket.once("error", (error) => {
      this.firstError = error;
    });
    this.stream = socket;
    return socket;
  }
}

function opened({ path, host, port, family }: RedisOptions): Socket {
  const place = path
    ? { path }
    : { port: port ?? 6379, host: host ?? "127.0.0.1", ...(family && { family }) };
  const hear = (bytes: number) => {
    const piece = BUFFER.subarray(0, bytes);
    const hearer = hearers.get(socket);
    if (hearer === undefined) socket.emit("data", Buffer.from(piece));
    else hearer(piece);
    return true;
  };
  const socket = createConnection({ ...place, onread: { buffer: BUFFER, callback: hear } });
  hearers.set(socket, undefined);
  return socket;
}

/** Has the hearer alone hear what comes from now on. It must not keep what it is given. */
export function hearAlone(socket: Socket, hearer: Hearer): void {
  socket.removeAllListeners("data");
  if (hearers.has(socket)) hearers.set(socket, hearer);
  else socket.on("data", hearer);
}
