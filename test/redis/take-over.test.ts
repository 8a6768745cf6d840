import { once } from "node:events";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { handBack, takeOver } from "../../src/redis/take-over.ts";
import { redisUrl } from "../redis-url.ts";

async function ready(): Promise<Redis> {
  const client = new Redis(redisUrl(), { enableOfflineQueue: false, lazyConnect: true });
  onTestFinished(() => client.disconnect());
  await client.connect();
  return client;
}

test("what ioredis sends by itself gets its own answers, among ours", async () => {
  const client = await ready();
  const wire = takeOver(client)!;
  const heard: unknown[] = [];
  const ask = (word: string) =>
    wire.send(["ECHO", word], { answered: (reply) => heard.push(reply), unanswered: () => {} });
  ask("a");
  const own = client.echo("of its own");
  ask("b");
  expect(await own).toBe("of its own");
  await expect.poll(() => heard).toEqual(["a", "b"]);
  await expect(client.call("NO-SUCH")).rejects.toThrow("unknown command");
});

test("a client that waits for an answer is left alone", async () => {
  const client = await ready();
  const answer = client.echo("x");
  expect(takeOver(client)).toBeUndefined();
  expect(await answer).toBe("x");
  const inside = client as unknown as { commandQueue: unknown };
  const { commandQueue } = inside;
  inside.commandQueue = undefined;
  expect(takeOver(client)).toBeUndefined();
  inside.commandQueue = commandQueue;
});

test("a client that is given back speaks for itself when it has connected again", async () => {
  const client = await ready();
  expect(takeOver(client)).toBeDefined();
  const ended = once(client, "end");
  client.disconnect();
  await ended;
  handBack(client);
  await client.connect();
  expect(await client.echo("y")).toBe("y");
});
