import type { Client } from "../../client/client.ts";
import { type Served, type ServeOptions, serve } from "../../http/server.ts";
import type { ShopJobs } from "./shop.ts";

/** Ports that are tried, from the one that is wanted on; then any that is free. */
const TRIED = 20;

/** Serves at the port that is wanted, or at the next that is free. */
export async function listen(
  client: Client<ShopJobs>,
  wanted: number,
  options: ServeOptions,
): Promise<Served> {
  for (let port = wanted; port < wanted + TRIED && port <= 65_535; port++) {
    try {
      return await serve(client, { ...options, port });
    } catch (error) {
      const { cause } = error as { cause?: NodeJS.ErrnoException };
      if (cause?.code !== "EADDRINUSE") throw error;
    }
  }
  return serve(client, { ...options, port: 0 });
}
