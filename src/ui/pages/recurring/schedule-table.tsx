import { dropSchedule, pauseSchedule, putJob } from "../../lib/deeds.ts";
import { count } from "../../lib/format.ts";
import { goTo, jobLink, queueLink } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { Schedule } from "../../lib/shapes.ts";
import { act, confirm } from "../../parts/action.tsx";
import { State } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";
import { editSchedule } from "./edit.tsx";
import { cronWords } from "./words.ts";

const COLUMNS: readonly Column<Schedule>[] = [
  {
    name: "Schedule",
    by: ({ jid }) => jid,
    cell: ({ jid, paused }) => (
      <>
        <strong>{jid}</strong>
        {paused && (
          <>
            {" "}
            <State state="paused" />
          </>
        )}
      </>
    ),
  },
  {
    name: "When",
    cell: ({ cron, zone }) => (
      <span title={cronWords(cron)}>
        <code>{cron}</code> <span class="quiet">{zone}</span>
        <br />
        <span class="detail">{cronWords(cron)}</span>
      </span>
    ),
  },
  {
    name: "Puts",
    isWide: true,
    cell: ({ klass, queue }) => (
      <span class="mixed">
        {klass} into <a href={queueLink(queue)}>{queue}</a>
      </span>
    ),
  },
  {
    name: "Next",
    by: ({ next }) => next ?? Number.POSITIVE_INFINITY,
    cell: ({ next, paused }) => (paused ? <span class="quiet">paused</span> : <When at={next} />),
  },
  {
    name: "Last",
    isWide: true,
    by: ({ last }) => last ?? 0,
    cell: ({ last, last_jid: jid }) =>
      jid === null ? (
        <span class="quiet">never</span>
      ) : (
        <a href={jobLink(jid)}>
          <When at={last} />
        </a>
      ),
  },
  {
    name: "Runs",
    isNumber: true,
    isWide: true,
    by: ({ runs }) => runs,
    cell: ({ runs, skipped }) => (
      <span title={`${skipped} left out because the last had not ended`}>
        {count(runs)}
        {skipped > 0 && <span class="quiet"> +{count(skipped)} skipped</span>}
      </span>
    ),
  },
];

export function ScheduleTable({
  list,
  refresh,
}: {
  list: readonly Schedule[];
  refresh: () => void;
}) {
  const columns: Column<Schedule>[] = [
    ...COLUMNS,
    { name: "", class: "row-actions", cell: (one) => <Actions schedule={one} refresh={refresh} /> },
  ];
  return <Table caption="Schedules" columns={columns} rows={list} id={({ jid }) => jid} />;
}

function Actions({ schedule, refresh }: { schedule: Schedule; refresh: () => void }) {
  if (!may("admin")) return null;
  const { jid, paused } = schedule;
  return (
    <span class="buttons">
      <button type="button" onClick={() => runNow(schedule)} aria-label={`Run now: ${jid}`}>
        Run now
      </button>
      <button
        type="button"
        aria-label={`${paused ? "Unpause" : "Pause"} ${jid}`}
        onClick={() =>
          void act(
            pauseSchedule(jid, !paused),
            paused ? `${jid} goes on` : `${jid} is paused`,
            refresh,
          )
        }
      >
        {paused ? "Unpause" : "Pause"}
      </button>
      <button
        type="button"
        onClick={() => editSchedule(schedule, refresh)}
        aria-label={`Edit ${jid}`}
      >
        Edit
      </button>
      <button
        type="button"
        class="danger"
        aria-label={`End ${jid}`}
        onClick={() =>
          confirm({
            title: `End ${jid}`,
            verb: "End it",
            isDangerous: true,
            says: "No more jobs are put by it; those that were stay.",
            request: () => dropSchedule(jid),
            done: `${jid} has ended`,
            after: refresh,
          })
        }
      >
        End
      </button>
    </span>
  );
}

/** A job like those that it puts, at once and besides them. */
export function runNow(of: { klass: string; queue: string; data: unknown; jid: string }): void {
  const { klass, queue, data, jid } = of;
  confirm({
    title: `Run ${jid} now`,
    verb: "Put it",
    says: `Puts one job of ${klass} into ${queue}, besides those that come by themselves.`,
    request: () => putJob({ klass, queue, data, tags: [`from:${jid}`.slice(0, 250)] }),
    done: "A job was put",
    after: (answer) => goTo(jobLink((answer as { jid: string }).jid)),
  });
}
