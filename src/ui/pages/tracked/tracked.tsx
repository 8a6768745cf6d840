import { tracked } from "../../lib/calls.ts";
import { trackJob } from "../../lib/deeds.ts";
import { useResource } from "../../lib/resource.ts";
import { usePlace, withQuery } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { LiveEvent } from "../../lib/shapes.ts";
import { act } from "../../parts/action.tsx";
import { Empty, Loaded, Page, Panel } from "../../parts/common.tsx";
import { JobTable } from "../../parts/job-table.tsx";
import { useSelection } from "../../parts/table.tsx";

/** Jobs on one page. */
const PAGE = 100;

const moves = ({ channel, event }: LiveEvent) => channel === "tracked" || event !== "bulk";

/** Jobs that somebody wants to see through. */
export function Tracked() {
  const { query } = usePlace();
  const from = Math.max(0, Math.floor(Number(query.get("from") ?? 0)) || 0);
  const list = useResource(`tracked ${from}`, (signal) => tracked(from, PAGE, signal), {
    on: moves,
    every: 4000,
  });
  const selection = useSelection();
  const untrack = () => {
    for (const jid of selection.chosen)
      void act(trackJob(jid, false), `${jid} is not tracked`, list.refresh);
    selection.clear();
  };
  return (
    <Page
      title="Tracked"
      about="Jobs that are followed step by step"
      actions={
        may("admin") && (
          <button type="button" disabled={selection.chosen.size === 0} onClick={untrack}>
            Untrack
          </button>
        )
      }
    >
      <Loaded resource={list}>
        {({ jobs, expired }) => (
          <>
            {jobs.length === 0 ? (
              <Empty title="No tracked jobs">
                Press Track on the page of a job: it is then listed here and on the overview, with
                each of its steps as it happens.
              </Empty>
            ) : (
              <JobTable
                caption="Tracked jobs"
                jobs={jobs}
                selection={may("admin") ? selection : undefined}
              />
            )}
            <Pages from={from} isFull={jobs.length + expired.length === PAGE} />
            {expired.length > 0 && (
              <Panel title="Gone">
                <p class="quiet">Tracked, and not there any more:</p>
                <ul class="plain">
                  {expired.map((jid) => (
                    <li key={jid}>{jid}</li>
                  ))}
                </ul>
              </Panel>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Pages({ from, isFull }: { from: number; isFull: boolean }) {
  const place = usePlace();
  if (from === 0 && !isFull) return null;
  return (
    <nav class="pager" aria-label="Pages of this list">
      {from > 0 && (
        <a data-first href={withQuery(place, { from: undefined })}>
          First page
        </a>
      )}
      {isFull && (
        <a data-next href={withQuery(place, { from: String(from + PAGE) })}>
          Next page
        </a>
      )}
    </nav>
  );
}
