import { groups } from "../../lib/calls.ts";
import { exact, plural } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { linkTo, queueLink } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { Group } from "../../lib/shapes.ts";
import { changeMany } from "../../parts/bulk.tsx";
import { Empty, Loaded, Page } from "../../parts/common.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";
import { noteGroups, trendOf } from "./trend.ts";

async function load(signal: AbortSignal) {
  const all = await groups(signal);
  noteGroups(all.groups);
  return all;
}

const columnsFor = (refresh: () => void): Column<Group>[] => [
  {
    name: "Group",
    by: ({ group }) => group,
    cell: ({ group }) => (
      <a class="name" href={linkTo(["failures", group])} data-row>
        {group}
      </a>
    ),
  },
  { name: "Jobs", isNumber: true, by: ({ count: n }) => n, cell: ({ count: n }) => exact(n) },
  {
    name: "Trend",
    isWide: true,
    cell: ({ group, count: n }) => <Sparkline values={trendOf(group)} label={`${exact(n)} now`} />,
  },
  {
    name: "First seen",
    isWide: true,
    by: ({ first }) => first ?? 0,
    cell: ({ first }) => <When at={first} />,
  },
  { name: "Last seen", by: ({ last }) => last ?? 0, cell: ({ last }) => <When at={last} /> },
  {
    name: "Queues, lately",
    isWide: true,
    cell: ({ queues }) => (
      <span class="mixed">
        {queues.slice(0, 3).map((queue, i) => (
          <span key={queue}>
            {i > 0 && ", "}
            <a href={queueLink(queue, { state: "failed" })}>{queue}</a>
          </span>
        ))}
        {queues.length > 3 && " …"}
      </span>
    ),
  },
  {
    name: "Last message",
    isWide: true,
    cell: ({ message }) => <span class="detail">{message ?? "too long for a line"}</span>,
  },
  {
    name: "",
    class: "row-actions",
    cell: ({ group }) => <RowActions group={group} refresh={refresh} />,
  },
];

function RowActions({ group, refresh }: { group: string; refresh: () => void }) {
  if (!may("admin")) return null;
  return (
    <span class="buttons">
      <button
        type="button"
        onClick={() => retryGroup(group, refresh)}
        aria-label={`Retry all of ${group}`}
      >
        Retry all
      </button>
    </span>
  );
}

export function retryGroup(group: string, after: () => void): void {
  changeMany({
    action: "retry",
    filter: { group, state: "failed" },
    about: `all of ${group}`,
    after,
  });
}

export function cancelGroup(group: string, after: () => void): void {
  changeMany({
    action: "cancel",
    filter: { group, state: "failed" },
    about: `all of ${group}`,
    after,
  });
}

/** Failed jobs by group. */
export function Failures() {
  const list = useResource("failures", load, {
    on: ({ event }) => event === "failed" || event === "audit" || event === "bulk",
    every: 8000,
  });
  return (
    <Page title="Failures" about="Jobs that failed stay until somebody retries or cancels them">
      <Loaded resource={list}>
        {({ groups: rows, total, jobs }) =>
          rows.length === 0 ? (
            <Empty title="No failed jobs">
              When a job fails for good it appears here, in the group that its handler or its error
              names.
            </Empty>
          ) : (
            <>
              <p class="quiet">
                {plural(jobs, "failed job")} in {plural(total, "group")}
                {total > rows.length && `; the ${rows.length} largest are here`}
              </p>
              <Table
                caption="Failures by group"
                columns={columnsFor(list.refresh)}
                rows={rows}
                id={({ group }) => group}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
