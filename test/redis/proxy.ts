import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { type TlsOptions, Server as TlsServer } from "node:tls";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

/**
 * What becomes of a request: it is passed on; lost on its way; passed on while its reply is lost,
 * the connection being cut in both cases; or answered with an error without being carried out.
 */
export type Fate = "pass" | "lose-request" | "lose-reply" | { error: string };

/** Decides the fate of a request, given as its words; it may take its time. */
export type Rule = (words: string[]) => Fate | Promise<Fate>;

/** A way to Redis on which a test decides what arrives. */
export interface Wire {
  url: string;
  port: number;
  /** Every request that came, as its words. */
  requests: string[][];
  rule: Rule;
  /** Where connections lead from now on. */
  target: number;
  /** Lets connections stand and nothing through, as a dead link does. */
  freeze(): void;
  thaw(): void;
  cutAll(): void;
  /** Shows other certificates from now on, behind TLS. */
  secure(tls: TlsOptions): void;
  /** How many sockets of clients are open. */
  sockets(): Promise<number>;
}

/** Starts a proxy before the server on that port, behind TLS if it is given; it ends with the test. */
export async function startProxy(target: number, tls?: TlsOptions): Promise<Wire> {
  const links = new Set<Link>();
  const accept = (socket: Socket) => void links.add(new Link(socket, proxy, links));
  const server = tls === undefined ? createServer(accept) : new TlsServer(tls, accept);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const each = (action: (link: Link) => void) => [...links].forEach(action);
  const proxy: Wire = {
    url: `${tls === undefined ? "redis" : "rediss"}://127.0.0.1:${port}`,
    port,
    target,
    requests: [],
    rule: () => "pass",
    freeze: () => each((link) => link.freeze()),
    thaw: () => each((link) => link.thaw()),
    cutAll: () => each((link) => link.cut()),
    secure: (tls) => (server as TlsServer).setSecureContext(tls),
    sockets: promisify(server.getConnections.bind(server)),
  };
  onTestFinished(() => {
    server.close();
    proxy.cutAll();
  });
  return proxy;
}

/** One connection through the proxy. Requests go in order, each after its fate is decided. */
class Link {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #proxy: Wire;
  readonly #links: Set<Link>;
  #input = Buffer.alloc(0);
  #turn = Promise.resolve();
  #losesReply = false;

  constructor(near: Socket, proxy: Wire, links: Set<Link>) {
    this.#near = near;
    this.#far = connect(proxy.target, "127.0.0.1");
    this.#proxy = proxy;
    this.#links = links;
    near.on("data", (bytes) => this.#request(bytes));
    this.#far.on("data", (bytes) => this.#reply(bytes));
    for (const socket of [near, this.#far])
      socket.on("close", () => this.cut()).on("error", () => {});
  }

  cut(): void {
    this.#links.delete(this);
    this.#near.destroy();
    this.#far.destroy();
  }

  freeze(): void {
    this.#near.pause();
    this.#far.pause();
  }

  thaw(): void {
    this.#near.resume();
    this.#far.resume();
  }

  #reply(bytes: Buffer): void {
    if (this.#losesReply) this.cut();
    else this.#near.write(bytes);
  }

  #request(bytes: Buffer): void {
    this.#input = Buffer.concat([this.#input, bytes]);
    for (let read = readRequest(this.#input); read !== undefined; read = readRequest(this.#input)) {
      const { words, length } = read;
      const request = this.#input.subarray(0, length);
      this.#input = this.#input.subarray(length);
      this.#turn = this.#turn.then(() => this.#decide(words, request));
    }
  }

  async #decide(words: string[], request: Buffer): Promise<void> {
    this.#proxy.requests.push(words);
    const fate = await this.#proxy.rule(words);
    if (fate === "lose-request") return this.cut();
    this.#losesReply ||= fate === "lose-reply";
    this.#far.write(typeof fate === "object" ? failing(fate.error) : request);
  }
}

/** The first whole request in the bytes: `*2\r\n$3\r\nGET\r\n$1\r\na\r\n`. */
function readRequest(bytes: Buffer): { words: string[]; length: number } | undefined {
  let at = 0;
  const number = () => {
    const end = bytes.indexOf("\r\n", at);
    if (end < 0) return -1;
    const value = Number(bytes.toString("latin1", at + 1, end));
    at = end + 2;
    return value;
  };
  const words: string[] = [];
  for (let count = number(); words.length < count; ) {
    const size = number();
    if (size < 0 || at + size + 2 > bytes.length) return undefined;
    words.push(bytes.toString("utf8", at, at + size));
    at += size + 2;
  }
  return words.length === 0 ? undefined : { words, length: at };
}

/** A request that the server answers with this error, in its turn. */
function failing(error: string): string {
  const words = ["EVAL", "return redis.error_reply(ARGV[1])", "0", error];
  return `*4\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
}

/** A rule that gives a fate to the first request of that Redis command, and passes the others. */
export function firstTime(command: string, fate: Fate): Rule {
  let done = false;
  return ([name]) => {
    if (done || name?.toUpperCase() !== command) return "pass";
    done = true;
    return fate;
  };
}

/** A rule that gives a fate to every request of that Redis command. */
export function always(command: string, fate: Fate): Rule {
  return ([name]) => (name?.toUpperCase() === command ? fate : "pass");
}
