import { afterEach, describe } from "vitest";
import { Client } from "../../src/client/client.ts";
import type { ClientOptions } from "../../src/client/client-options.ts";
import type { AnyJobs, Registry } from "../../src/client/registry.ts";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import { RedisEngine } from "../../src/redis/engine.ts";
import { freshNamespace, redisUrl } from "../engines.ts";

export const PLACES = ["sqlite", "redis"] as const;
export type Place = (typeof PLACES)[number];

/** A client with a namespace of its own. */
export async function openClient<Jobs extends Registry = AnyJobs>(
  place: Place,
  options: ClientOptions<Jobs> & { namespace?: string } = {},
): Promise<Client<Jobs>> {
  const { namespace = freshNamespace(), ...rest } = options;
  const engine =
    place === "sqlite"
      ? await EmbeddedEngine.open(":memory:", { namespace })
      : await RedisEngine.open(redisUrl(), { namespace, onWarning: () => {} });
  return new Client<Jobs>(engine, { name: "me", ...rest });
}

type Open = <Jobs extends Registry = AnyJobs>(
  options?: ClientOptions<Jobs>,
) => Promise<Client<Jobs>>;

/** Runs the tests on both engines; clients are closed, and everything they left must agree. */
export function everyClient(name: string, tests: (open: Open, place: Place) => void): void {
  describe.each(PLACES)(`${name} (%s)`, (place) => {
    const opened: Client<Registry>[] = [];
    afterEach(async () => {
      for (const client of opened.splice(0)) {
        const problems = await client.maintenance.check();
        await client.close({ grace: 0 });
        if (problems.length > 0) throw new Error(`check found ${JSON.stringify(problems)}`);
      }
    });
    tests(async (options) => {
      const client = await openClient(place, options);
      opened.push(client as never);
      return client;
    }, place);
  });
}
