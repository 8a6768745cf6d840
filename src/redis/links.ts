import type { Redis } from "ioredis";
import { type Client, isCluster, nodeKey, ownerOf } from "./client.ts";

/** What a connection that hears events has to know of a cluster. */

/** Whether a node has refused a channel that belongs to another. */
export function isMoved(error: unknown): boolean {
  return error instanceof Error && /^(MOVED|ASK) /.test(error.message);
}

/** Whether the events of a namespace are at another node than the one that this connection is to. */
export function isElsewhere(client: Client, namespace: string, link: Redis): boolean {
  const owner = isCluster(client) ? ownerOf(client, namespace) : undefined;
  return owner !== undefined && nodeKey(owner) !== nodeKey(link);
}

/** Has ioredis ask the cluster which node has which slot. */
export function refresh(client: Client): void {
  if (isCluster(client)) client.refreshSlotsCache();
}

/** Ends a connection without waiting for the other side, which may be gone. */
export function hangUp(link: Redis): void {
  link.disconnect();
  const stream: Redis["stream"] | undefined = link.stream;
  stream?.destroy();
}
