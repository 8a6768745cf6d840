import { workers } from "../../lib/calls.ts";
import { plural } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { linkTo } from "../../lib/route.ts";
import { Empty, Loaded, Page } from "../../parts/common.tsx";
import { WorkerCard } from "./card.tsx";
import { WorkerTable } from "./table.tsx";

/** Processes that are told of in full at once. */
const MAX_CARDS = 12;

/** Who works, on what, and since when; or one of them alone. */
export function Workers({ only }: { only: string | undefined }) {
  const list = useResource("workers", workers, {
    every: 3000,
    on: ({ event }) => event === "lock_lost" || event === "audit",
  });
  return (
    <Page
      title={only ?? "Workers"}
      about={only === undefined ? undefined : <a href={linkTo(["workers"])}>A worker</a>}
    >
      <Loaded resource={list}>
        {(all) => {
          if (only !== undefined) {
            const one = all.find(({ name }) => name === only);
            return one === undefined ? (
              <Empty title="There is no such worker, or not any more">
                Workers that have not asked for a day leave the list.{" "}
                <a href={linkTo(["workers"])}>All workers</a>
              </Empty>
            ) : (
              <WorkerCard worker={one} refresh={list.refresh} isOpen />
            );
          }
          return (
            <>
              <p class="quiet">{plural(all.length, "worker")}, the last seen first</p>
              <WorkerTable workers={all} />
              <div class="cards">
                {all
                  .filter(({ present, jobs, stalled }) => present !== null || jobs + stalled > 0)
                  .slice(0, MAX_CARDS)
                  .map((worker) => (
                    <WorkerCard
                      key={worker.name}
                      worker={worker}
                      refresh={list.refresh}
                      isOpen={false}
                    />
                  ))}
              </div>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
