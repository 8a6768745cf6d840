import { dropSchedule, pauseSchedule } from "../../lib/deeds.ts";
import { count } from "../../lib/format.ts";
import { jobLink } from "../../lib/route.ts";
import type { Schedule } from "../../lib/shapes.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";
import { editSchedule } from "./edit.tsx";
import { actionsColumn, NEXT, nameColumn, PUTS } from "./shared.tsx";
import { cronWords } from "./words.ts";

const COLUMNS: readonly Column<Schedule>[] = [
  nameColumn("Schedule"),
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
  PUTS,
  NEXT,
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

const DEEDS = { pause: pauseSchedule, edit: editSchedule, drop: dropSchedule };

export function ScheduleTable({
  list,
  refresh,
}: {
  list: readonly Schedule[];
  refresh: () => void;
}) {
  const columns = [...COLUMNS, actionsColumn<Schedule>(DEEDS, refresh)];
  return <Table caption="Schedules" columns={columns} rows={list} id={({ jid }) => jid} />;
}
