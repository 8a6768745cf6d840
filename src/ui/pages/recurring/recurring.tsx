import { allRecurring, schedules } from "../../lib/calls.ts";
import { useResource } from "../../lib/resource.ts";
import { may } from "../../lib/session.ts";
import type { Recurring } from "../../lib/shapes.ts";
import { Empty, Loaded, Page, Panel } from "../../parts/common.tsx";
import { editInterval, editSchedule } from "./edit.tsx";
import { IntervalTable } from "./interval-table.tsx";
import { ScheduleTable } from "./schedule-table.tsx";

/** Calls that one list may take: each tells of 200, or looks at 500 queues. */
const MAX_CALLS = 3;

async function intervals(signal: AbortSignal) {
  const list: Recurring[] = [];
  let cursor: string | null = "";
  for (let calls = 0; calls < MAX_CALLS && cursor !== null; calls++) {
    const page = await allRecurring(cursor, signal);
    list.push(...page.recurring);
    cursor = page.cursor;
  }
  return { list, isCut: cursor !== null };
}

/** Jobs that come again and again: by the calendar, and at intervals. */
export function RecurringPage() {
  const on = ({ event }: { event: string }) => event === "audit" || event === "put";
  const byCalendar = useResource("schedules", schedules, { on, every: 5000 });
  const byInterval = useResource("intervals", intervals, { on, every: 10_000 });
  return (
    <Page
      title="Recurring"
      actions={
        may("admin") && (
          <>
            <button type="button" onClick={() => editSchedule(undefined, byCalendar.refresh)}>
              New schedule
            </button>
            <button type="button" onClick={() => editInterval(undefined, byInterval.refresh)}>
              New interval
            </button>
          </>
        )
      }
    >
      <Panel title="By the calendar">
        <Loaded resource={byCalendar}>
          {(list) =>
            list.length === 0 ? (
              <Empty title="No schedules">
                A schedule puts a job by a cron expression, such as every weekday at nine.
              </Empty>
            ) : (
              <ScheduleTable list={list} refresh={byCalendar.refresh} />
            )
          }
        </Loaded>
      </Panel>
      <Panel title="At intervals">
        <Loaded resource={byInterval}>
          {({ list, isCut }) =>
            list.length === 0 ? (
              <Empty title="No jobs at intervals">
                They come every so many seconds, whatever the calendar says.
              </Empty>
            ) : (
              <>
                <IntervalTable list={list} refresh={byInterval.refresh} />
                {isCut && (
                  <p class="quiet">
                    There are more than these: the page of each queue has its own.
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}
