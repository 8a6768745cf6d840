import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { invalid } from "../client/times.ts";

/** How many proxies stand before the server, or the addresses and networks of those proxies. */
export type TrustedProxies = number | string | readonly string[];

/** What fastify takes: addresses, or whether it trusts the proxy that is so many hops away. */
type Trusted = false | string[] | ((address: string, hop: number) => boolean);

const MAX_PROXIES = 10;
const HOW = 'a number of proxies such as 1, or their addresses such as "10.0.0.5" or "10.0.0.0/8"';

/**
 * What fastify trusts. Each proxy appends the address it was called from, so the header is read from
 * the right, and everything left of the last trusted proxy is the caller's own invention.
 */
export function checkedProxies(given: TrustedProxies | undefined): Trusted {
  if (given === undefined) return false;
  if (typeof given === "number" || (typeof given === "string" && /^\d+$/.test(given.trim()))) {
    const count = Number(given);
    const isCount = Number.isInteger(count) && count >= 1 && count <= MAX_PROXIES;
    if (isCount) return (_, hop) => hop < count;
    throw invalid(`trustProxy must be from 1 to ${MAX_PROXIES} proxies, not ${count}`);
  }
  const list = typeof given === "string" ? given.split(",") : given;
  if (!Array.isArray(list) || list.length === 0) throw invalid(`trustProxy must be ${HOW}`);
  const networks = list.map((network) => String(network).trim());
  for (const network of networks) {
    if (isNetwork(network)) continue;
    throw invalid(`trustProxy must be ${HOW}, not ${JSON.stringify(network)}`);
  }
  return networks;
}

function isNetwork(text: string): boolean {
  const [address = "", bits, ...more] = text.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

/** The caller's address. A proxy that passes on something else than an address is not believed. */
export function addressOf({ ip, socket }: FastifyRequest): string {
  return isIP(ip) === 0 ? (socket.remoteAddress ?? "") : ip;
}
