import type { Client } from "../client/client.ts";
import type { Registry } from "../client/registry.ts";
import { invalid } from "../client/times.ts";
import type { Entry, KlassOptions } from "./handlers.ts";
import type { Settled } from "./options.ts";

/** Options of a klass that are about the queue of the same name. */

type Entries = ReadonlyMap<string, Entry>;
type Ordered = Pick<Settled<Registry, object>, "queues" | "order" | "weights">;

/** The weights of queues: what the worker says, and what klasses say of their own. */
export function weightsWith(entries: Entries, settled: Ordered): Record<string, number> {
  const own = said(entries, settled.queues, "weight");
  if (own.length > 0 && settled.order !== "weighted") {
    throw invalid(`weight of ${own[0]![0]} needs the order weighted: { order: "weighted" }`);
  }
  return { ...Object.fromEntries(own), ...settled.weights };
}

/** Has the engine see to it that of some klasses only so many run, whoever runs them. */
export async function limitQueues<Jobs extends Registry>(
  client: Client<Jobs>,
  entries: Entries,
  queues: readonly string[],
): Promise<void> {
  for (const [klass, most] of said(entries, queues, "maxConcurrency")) {
    await client.config.setQueue(klass, "max-concurrency", most);
  }
}

function said(
  entries: Entries,
  queues: readonly string[],
  option: "weight" | "maxConcurrency",
): [klass: string, value: number][] {
  const given: [string, number][] = [];
  for (const [klass, { options }] of entries) {
    const value: KlassOptions[typeof option] = options[option];
    if (value === undefined) continue;
    if (!queues.includes(klass)) {
      const advice = "add it to the worker's queues, or say it of another queue";
      throw invalid(`${option} of ${klass} is about the queue of that name: ${advice}`);
    }
    given.push([klass, value]);
  }
  return given;
}
