import { queues, schedules } from "../../lib/calls.ts";
import { useResource } from "../../lib/resource.ts";
import { may } from "../../lib/session.ts";
import { Empty, Loaded, Page, Panel } from "../../parts/common.tsx";
import { recurringOf } from "../queue/recurring-in.tsx";
import { editInterval, editSchedule } from "./edit.tsx";
import { IntervalTable } from "./interval-table.tsx";
import { ScheduleTable } from "./schedule-table.tsx";

/** Queues that are looked into for recurring jobs. */
const MAX_QUEUES = 50;

async function intervals(signal: AbortSignal) {
  const having = (await queues(signal)).filter(({ recurring }) => recurring > 0);
  const all = having.slice(0, MAX_QUEUES).map(({ name }) => recurringOf(name, signal));
  return (await Promise.all(all)).flat();
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
          {(list) =>
            list.length === 0 ? (
              <Empty title="No jobs at intervals">
                They come every so many seconds, whatever the calendar says.
              </Empty>
            ) : (
              <IntervalTable list={list} refresh={byInterval.refresh} />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}
