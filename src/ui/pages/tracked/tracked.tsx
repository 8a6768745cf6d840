import { tracked } from "../../lib/calls.ts";
import { trackJob } from "../../lib/deeds.ts";
import { exact } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { may } from "../../lib/session.ts";
import type { LiveEvent } from "../../lib/shapes.ts";
import { act } from "../../parts/action.tsx";
import { Empty, Loaded, Page, Panel } from "../../parts/common.tsx";
import { JobTable } from "../../parts/job-table.tsx";
import { useSelection } from "../../parts/table.tsx";

/** Jobs that are drawn; the server gives all there are. */
const MAX_SHOWN = 200;

const moves = ({ channel, event }: LiveEvent) => channel === "tracked" || event !== "bulk";

/** Jobs that somebody wants to see through. */
export function Tracked() {
  const list = useResource("tracked", tracked, { on: moves, every: 4000 });
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
                jobs={jobs.slice(0, MAX_SHOWN)}
                selection={may("admin") ? selection : undefined}
              />
            )}
            {jobs.length > MAX_SHOWN && (
              <p class="quiet">
                The first {MAX_SHOWN} of {exact(jobs.length)}
              </p>
            )}
            {expired.length > 0 && (
              <Panel title="Gone">
                <p class="quiet">Tracked, and not there any more:</p>
                <ul class="plain">
                  {expired.slice(0, 200).map((jid) => (
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
