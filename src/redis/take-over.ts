import type { Command, Redis } from "ioredis";
import type { Reply } from "../engine.ts";
import { Wire } from "./wire.ts";

/**
 * Takes the socket of a client that is ready, so that calls need not go through ioredis. Left with
 * ioredis, and slower, is one that still waits for an answer, or does not tell whether it does.
 */
export function takeOver(client: Redis): Wire | undefined {
  const { commandQueue } = client as unknown as { commandQueue?: { length: number } };
  if (commandQueue?.length !== 0) return undefined;
  const wire = new Wire(client.stream);
  // What ioredis might send by itself takes its place in our row: else we would take its answer.
  client.sendCommand = (command: Command) => {
    const words = [command.name, ...command.args.map(String)];
    wire.send(words, {
      answered: (reply: Reply) => command.resolve(reply),
      unanswered: (error) => command.reject(error),
    });
    return command.promise;
  };
  return wire;
}

/** Lets ioredis speak for itself again, with the next server that it connects to. */
export function handBack(client: Redis): void {
  delete (client as Partial<Redis>).sendCommand;
}
