/**
 * A proxy in a process of its own that holds back what goes each way for half a millisecond, so that
 * a round trip takes one more: `node bench/lag.mjs <port to lead to>`. Prints its own port.
 */
import { connect, createServer } from "node:net";

const target = Number(process.argv[2]);
const HALF_MS = 0.5;

/** Passes on what it is given, each piece after the time, in order. */
function later(to) {
  const held = [];
  let isWaiting = false;
  const release = () => {
    const now = performance.now();
    while (held.length > 0 && held[0].at <= now) to.write(held.shift().piece);
    isWaiting = held.length > 0;
    if (isWaiting) setImmediate(release);
  };
  return (piece) => {
    held.push({ at: performance.now() + HALF_MS, piece });
    if (!isWaiting) {
      isWaiting = true;
      setImmediate(release);
    }
  };
}

const server = createServer((socket) => {
  const upstream = connect({ port: target, host: "127.0.0.1", noDelay: true });
  socket.setNoDelay(true);
  socket.on("data", later(upstream));
  upstream.on("data", later(socket));
  for (const [one, other] of [
    [socket, upstream],
    [upstream, socket],
  ]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.on("disconnect", () => process.exit());
