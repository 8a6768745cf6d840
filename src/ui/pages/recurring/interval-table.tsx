import { dropRecurring } from "../../lib/deeds.ts";
import { count, length } from "../../lib/format.ts";
import { jobLink, queueLink } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { Recurring } from "../../lib/shapes.ts";
import { confirm } from "../../parts/action.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";
import { editInterval } from "./edit.tsx";
import { runNow } from "./schedule-table.tsx";

const COLUMNS: readonly Column<Recurring>[] = [
  { name: "Recurring job", by: ({ jid }) => jid, cell: ({ jid }) => <strong>{jid}</strong> },
  {
    name: "Every",
    isNumber: true,
    by: ({ interval }) => interval,
    cell: ({ interval }) => length(interval),
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
  { name: "Next", by: ({ next }) => next ?? 0, cell: ({ next }) => <When at={next} /> },
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

export function IntervalTable({
  list,
  refresh,
}: {
  list: readonly Recurring[];
  refresh: () => void;
}) {
  const columns: Column<Recurring>[] = [
    ...COLUMNS,
    { name: "", class: "row-actions", cell: (one) => <Actions one={one} refresh={refresh} /> },
  ];
  return <Table caption="Recurring jobs" columns={columns} rows={list} id={({ jid }) => jid} />;
}

function Actions({ one, refresh }: { one: Recurring; refresh: () => void }) {
  if (!may("admin")) return null;
  const { jid } = one;
  return (
    <span class="buttons">
      <button type="button" onClick={() => runNow(one)} aria-label={`Run now: ${jid}`}>
        Run now
      </button>
      <button type="button" onClick={() => editInterval(one, refresh)} aria-label={`Edit ${jid}`}>
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
            request: () => dropRecurring(jid),
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
