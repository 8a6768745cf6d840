import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Asker, Wire } from "../../src/redis/wire.ts";

interface Ends {
  wire: Wire;
  near: Socket;
  /** Where Redis would be. */
  far: Socket;
}

async function open(): Promise<Ends> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const near = connect(port, "127.0.0.1").on("error", () => {});
  await once(near, "connect");
  const [far] = await accepted;
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
  });
  return { wire: new Wire(near), near, far };
}

/** Asks, and tells what is heard: the answer, or why there is none. */
function ask(wire: Wire, ...words: string[]) {
  let isSent = false;
  const heard = new Promise<unknown>((resolve) => {
    const asker: Asker = {
      answered: resolve,
      unanswered: (error) => resolve(`no: ${error.message}`),
    };
    isSent = wire.send(words, asker);
  });
  return { heard, isSent };
}

test("answers go to those who asked, in their order, refusals among them", async () => {
  const { wire, far } = await open();
  const asked = ["a", "b", "c"].map((word) => ask(wire, "ECHO", word).heard);
  far.write("$1\r\na\r\n-ERR no\r\n*1\r\n:3\r\n");
  expect(await Promise.all(asked)).toEqual(["a", "no: ERR no", [3]]);
});

test("commands of one turn leave in one piece, with their sizes in bytes", async () => {
  const { wire, far } = await open();
  ask(wire, "SET", "å");
  ask(wire, "PING");
  const [piece] = (await once(far, "data")) as [Buffer];
  expect(piece.toString()).toBe("*2\r\n$3\r\nSET\r\n$2\r\nå\r\n*1\r\n$4\r\nPING\r\n");
});

test("those who wait when it closes hear that no answer will come", async () => {
  const { wire, near, far } = await open();
  const { heard, isSent } = ask(wire, "PING");
  far.destroy();
  await once(near, "close");
  wire.close();
  expect([isSent, await heard]).toEqual([true, "no: Connection is closed."]);
});

test("a command for a closed socket does not leave, and that is told", async () => {
  const { wire, near } = await open();
  near.destroy();
  const { heard, isSent } = ask(wire, "PING");
  expect([isSent, await heard]).toEqual([false, "no: The socket is closed"]);
});

test.each(["+OK\r\n", "HTTP/1.1 400 Bad Request\r\n"])(
  "%j, which nobody asked for, ends the connection",
  async (bytes) => {
    const { near, far } = await open();
    far.write(bytes);
    const [error] = (await once(near, "error")) as [Error];
    expect(error.message).toMatch(/nobody asked|not the protocol/);
    expect(near.destroyed).toBe(true);
  },
);
