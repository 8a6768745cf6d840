import { dropRecurring, pauseRecurring } from "../../lib/deeds.ts";
import { count, length } from "../../lib/format.ts";
import { jobLink } from "../../lib/route.ts";
import type { Recurring } from "../../lib/shapes.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { editInterval } from "./edit.tsx";
import { actionsColumn, NEXT, nameColumn, PUTS } from "./shared.tsx";

const COLUMNS: readonly Column<Recurring>[] = [
  nameColumn("Recurring job"),
  {
    name: "Every",
    isNumber: true,
    by: ({ interval }) => interval,
    cell: ({ interval }) => length(interval),
  },
  PUTS,
  NEXT,
  {
    name: "So far",
    isNumber: true,
    isWide: true,
    by: ({ count: n }) => n,
    cell: ({ jid, count: n }) =>
      n === 0 ? (
        "none"
      ) : (
        <a href={jobLink(`${jid}-${n}`)} title="The last of them">
          {count(n)}
        </a>
      ),
  },
];

const DEEDS = { pause: pauseRecurring, edit: editInterval, drop: dropRecurring };

export function IntervalTable({
  list,
  refresh,
}: {
  list: readonly Recurring[];
  refresh: () => void;
}) {
  const columns = [...COLUMNS, actionsColumn<Recurring>(DEEDS, refresh)];
  return <Table caption="Recurring jobs" columns={columns} rows={list} id={({ jid }) => jid} />;
}
