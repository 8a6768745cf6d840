import { count, length, rate } from "../../lib/format.ts";
import { queueLink } from "../../lib/route.ts";
import { flowOf, samplesOf } from "../../lib/samples.ts";
import type { Counts, Statistics } from "../../lib/shapes.ts";
import { Empty } from "../../parts/common.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { State } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Since } from "../../parts/when.tsx";

interface Row extends Counts {
  statistics: Statistics | undefined;
}

type Counted = "waiting" | "running" | "stalled" | "scheduled" | "depends";

const counted = (state: Counted, isWide: boolean): Column<Row> => ({
  name: state,
  isNumber: true,
  isWide,
  by: (row) => row[state],
  cell: (row) =>
    row[state] === 0 ? (
      <span class="zero">0</span>
    ) : (
      <a class={state} href={queueLink(row.name, { state })}>
        {count(row[state])}
      </a>
    ),
});

function Drain({ queue }: { queue: string }) {
  const { drain } = flowOf(queue);
  if (drain === undefined) return <span class="quiet">–</span>;
  if (drain === 0) return <span class="quiet">empty</span>;
  if (!Number.isFinite(drain)) return <span title="More comes than goes">grows</span>;
  return <span title="If it goes on like in the last minute">{length(drain)}</span>;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    name: "Queue",
    by: ({ name }) => name,
    cell: ({ name, paused, paused_reason: why }) => (
      <>
        <a class="name" href={queueLink(name)} data-row>
          {name}
        </a>
        {paused && (
          <span title={why ?? undefined}>
            {" "}
            <State state="paused" />
          </span>
        )}
      </>
    ),
  },
  counted("waiting", false),
  counted("running", false),
  counted("stalled", false),
  counted("scheduled", true),
  counted("depends", true),
  {
    name: "failed today",
    isNumber: true,
    isWide: true,
    by: ({ statistics }) => statistics?.failures ?? 0,
    cell: ({ statistics }) => count(statistics?.failures ?? 0),
  },
  { name: "in", isNumber: true, isWide: true, cell: ({ name }) => rate(flowOf(name).in) },
  { name: "out", isNumber: true, cell: ({ name }) => rate(flowOf(name).out) },
  {
    name: "next waits",
    isNumber: true,
    isWide: true,
    by: ({ next_since: since }) => -(since ?? Number.POSITIVE_INFINITY),
    cell: ({ next_since: since }) => <Since at={since ?? undefined} />,
  },
  { name: "drained in", isNumber: true, isWide: true, cell: ({ name }) => <Drain queue={name} /> },
  {
    name: "waiting, lately",
    isWide: true,
    cell: ({ name, waiting }) => (
      <Sparkline
        values={samplesOf(name).map((one) => one.waiting)}
        label={`${count(waiting)} waiting now`}
      />
    ),
  },
];

/** All queues; those that nothing is in are as good to know. */
export function QueueTable(props: {
  counts: readonly Counts[];
  statistics: ReadonlyMap<string, Statistics>;
}) {
  if (props.counts.length === 0) {
    return (
      <Empty title="There are no queues yet">
        A queue is there once a job is put into it: <code>queue.put("klass", data)</code>, or a POST
        to <code>/api/v1/jobs</code>.
      </Empty>
    );
  }
  const rows = props.counts.map((one) => ({
    ...one,
    statistics: props.statistics.get(one.name),
  }));
  return <Table caption="Queues" columns={COLUMNS} rows={rows} id={({ name }) => name} />;
}
