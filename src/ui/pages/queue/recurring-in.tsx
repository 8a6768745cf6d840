import { jids, recurring } from "../../lib/calls.ts";
import { useResource } from "../../lib/resource.ts";
import type { Recurring } from "../../lib/shapes.ts";
import { Empty, Loaded } from "../../parts/common.tsx";
import { IntervalTable } from "../recurring/interval-table.tsx";

/** Recurring jobs of one queue, the first hundred. */
export async function recurringOf(queue: string, signal: AbortSignal): Promise<Recurring[]> {
  const found = await jids(queue, "recurring", 100, signal);
  const all = found.map((jid) => recurring(jid, signal).catch(() => undefined));
  return (await Promise.all(all)).filter((one) => one !== undefined);
}

export function RecurringIn({ queue }: { queue: string }) {
  const list = useResource(`recurring ${queue}`, (signal) => recurringOf(queue, signal), {
    on: (event) => event.queue === queue || event.event === "audit",
  });
  return (
    <Loaded resource={list}>
      {(found) =>
        found.length === 0 ? (
          <Empty title="No recurring jobs put into this queue">
            They are defined on the page <a href="#/recurring">Recurring</a>.
          </Empty>
        ) : (
          <IntervalTable list={found} refresh={list.refresh} />
        )
      }
    </Loaded>
  );
}
