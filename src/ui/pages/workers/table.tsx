import { count } from "../../lib/format.ts";
import { linkTo } from "../../lib/route.ts";
import type { Worker } from "../../lib/shapes.ts";
import { Empty } from "../../parts/common.tsx";
import { State } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";

export const COLUMNS: readonly Column<Worker>[] = [
  {
    name: "Worker",
    by: ({ name }) => name,
    cell: ({ name, present }) => (
      <>
        <a href={linkTo(["workers", name])} data-row>
          {name}
        </a>
        {present?.facts.paused === true && (
          <>
            {" "}
            <State state="paused" />
          </>
        )}
      </>
    ),
  },
  {
    name: "Holds",
    isNumber: true,
    by: ({ jobs }) => jobs,
    cell: ({ jobs, present }) => {
      const { concurrency } = present?.facts ?? {};
      return concurrency === undefined ? count(jobs) : `${count(jobs)} of ${count(concurrency)}`;
    },
  },
  {
    name: "Stalled",
    isNumber: true,
    by: ({ stalled }) => stalled,
    cell: ({ stalled }) =>
      stalled === 0 ? <span class="zero">0</span> : <span class="stalled">{count(stalled)}</span>,
  },
  { name: "Host", isWide: true, cell: ({ present }) => hostOf(present?.facts ?? {}) },
  {
    name: "Queues",
    isWide: true,
    cell: ({ present }) => <span class="detail">{present?.queues.slice(0, 6).join(", ")}</span>,
  },
  {
    name: "Memory",
    isNumber: true,
    isWide: true,
    by: ({ present }) => present?.facts.memory ?? 0,
    cell: ({ present }) => shown(present?.facts.memory, "MB"),
  },
  {
    name: "Lag",
    isNumber: true,
    isWide: true,
    by: ({ present }) => present?.facts.lag ?? 0,
    cell: ({ present }) => shown(present?.facts.lag, "ms"),
  },
];

const hostOf = ({ host, pid }: { host?: string; pid?: number }) =>
  host === undefined ? <span class="quiet">says nothing</span> : `${host}:${pid ?? "?"}`;

const shown = (value: number | undefined, unit: string) =>
  value === undefined ? <span class="quiet">–</span> : `${count(value)} ${unit}`;

export function WorkerTable({ workers }: { workers: readonly Worker[] }) {
  if (workers.length === 0) {
    return (
      <Empty title="No workers">
        Nobody has asked for work lately. Start one with <code>qless work</code>.
      </Empty>
    );
  }
  return <Table caption="Workers" columns={COLUMNS} rows={workers} id={({ name }) => name} />;
}
