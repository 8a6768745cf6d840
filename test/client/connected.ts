import { randomUUID } from "node:crypto";
import { expect, onTestFinished } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { type ConnectOptions, connect, type Source } from "../../src/connect.ts";
import { freshNamespace } from "../engines.ts";

/** What `connect` gives, in a namespace of its own, closed when the test is over. */
export async function connected(source: Source, options: ConnectOptions = {}): Promise<Client> {
  const namespace = freshNamespace();
  const client = await connect(source, { namespace, onWarning: () => {}, name: "me", ...options });
  onTestFinished(() => client.close());
  return client;
}

/** Lets a job live from put to complete, heard of by events and by who waits for it. */
export async function liveThrough(client: Client): Promise<void> {
  const heard: string[] = [];
  const jid = randomUUID();
  // Of this job alone: in a cluster, what was announced before may arrive after we began to listen.
  const off = await client.events.on({ jid }, ({ event }) => heard.push(event));
  expect(await client.put("k", { n: 1 }, { jid })).toEqual({ jid, outcome: "created" });
  const ended = client.waitFor(jid, { timeout: "10s" });
  const [job] = await client.queue("k").pop();
  expect(await job!.complete({ data: { n: 2 } })).toBe("complete");
  expect(await ended).toMatchObject({ state: "complete", job: { jid, data: { n: 2 } } });
  await expect.poll(() => heard).toEqual(["put", "completed"]);
  await off();
  expect(await client.maintenance.check()).toEqual([]);
}
