import { groups, search } from "../../lib/calls.ts";
import { count, exact, plural } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { linkTo } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { Group } from "../../lib/shapes.ts";
import { changeMany } from "../../parts/bulk.tsx";
import { Empty, Loaded, Page } from "../../parts/common.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";
import { noteGroups, trendOf } from "./trend.ts";

/** Groups whose first and last failure is looked up: two searches for each. */
const MAX_LOOKED = 25;
/** Groups that are listed: those with most jobs. */
const MAX_SHOWN = 500;

/** When a group was first and last seen, among the jobs that are failed now. */
export interface Seen {
  first: number | undefined;
  last: number | undefined;
  message: string;
}

export async function seenOf(group: string, signal: AbortSignal): Promise<Seen> {
  const [newest, oldest] = await Promise.all([
    search({ group, order: "newest" }, "", 1, signal),
    search({ group, order: "oldest" }, "", 1, signal),
  ]);
  const [last] = newest.jobs;
  return {
    first: oldest.jobs[0]?.failure.when,
    last: last?.failure.when,
    message: last?.failure.message?.split("\n", 1)[0]?.slice(0, 200) ?? "",
  };
}

async function load(signal: AbortSignal) {
  const all = (await groups(signal)).toSorted((a, b) => b.count - a.count);
  noteGroups(all);
  const looked = all.slice(0, MAX_LOOKED);
  const seen = await Promise.all(looked.map(({ group }) => seenOf(group, signal)));
  return all.map((one, i) => ({ ...one, seen: seen[i] }));
}

type Row = Group & { seen: Seen | undefined };

const columnsFor = (refresh: () => void): Column<Row>[] => [
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
  { name: "First seen", isWide: true, by: firstOf, cell: ({ seen }) => <When at={seen?.first} /> },
  { name: "Last seen", by: lastOf, cell: ({ seen }) => <When at={seen?.last} /> },
  {
    name: "Last message",
    isWide: true,
    cell: ({ seen }) => <span class="detail">{seen?.message}</span>,
  },
  {
    name: "",
    class: "row-actions",
    cell: ({ group }) => <RowActions group={group} refresh={refresh} />,
  },
];

function firstOf({ seen }: Row): number {
  return seen?.first ?? 0;
}

function lastOf({ seen }: Row): number {
  return seen?.last ?? 0;
}

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
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No failed jobs">
              When a job fails for good it appears here, in the group that its handler or its error
              names.
            </Empty>
          ) : (
            <>
              <p class="quiet">
                {count(rows.reduce((sum, one) => sum + one.count, 0))} failed jobs in{" "}
                {plural(rows.length, "group")}
              </p>
              <Table
                caption="Failures by group"
                columns={columnsFor(list.refresh)}
                rows={rows.slice(0, MAX_SHOWN)}
                id={({ group }) => group}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
