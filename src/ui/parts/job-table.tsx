import { filterText } from "../lib/filter.ts";
import { plural } from "../lib/format.ts";
import { jobLink, queueLink, searchLink } from "../lib/route.ts";
import type { Job } from "../lib/shapes.ts";
import { lastSaid, sinceOf } from "../lib/since.ts";
import { State } from "./state.tsx";
import { type Column, type Selection, Table } from "./table.tsx";
import { When } from "./when.tsx";

export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <span class="tags">
      {tags.map((tag) => (
        <a key={tag} class="tag" href={searchLink(filterText({ tag }))}>
          {tag}
        </a>
      ))}
    </span>
  );
}

/** What is most worth knowing of a job in its state, in a few words. */
function Detail({ job }: { job: Job }) {
  const { state, failure, worker, dependencies, remaining, retries } = job;
  if (state === "failed") {
    return (
      <span class="detail" title={failure.message}>
        {!failure.message?.startsWith(failure.group ?? "") && <strong>{failure.group} </strong>}
        {firstLine(failure.message ?? "")}
      </span>
    );
  }
  const said = lastSaid(job);
  if (worker !== "") {
    const far = said?.progress === undefined ? "" : ` ${Math.round(said.progress * 100)} %`;
    return (
      <span class="detail">
        on {worker}
        {said !== undefined && ` · ${said.what.slice(0, 80)}${far}`}
      </span>
    );
  }
  if (state === "depends")
    return <span class="detail">for {plural(dependencies.length, "job")}</span>;
  if (remaining < retries) return <span class="detail">{remaining} retries left</span>;
  return null;
}

const firstLine = (text: string) => text.split("\n", 1)[0]!.slice(0, 160);

const COLUMNS: Record<string, Column<Job>> = {
  jid: {
    name: "Job",
    class: "jid",
    by: ({ jid }) => jid,
    cell: ({ jid, tracked }) => (
      <a href={jobLink(jid)} data-row title={jid}>
        {jid}
        {tracked && <span title="tracked"> ★</span>}
      </a>
    ),
  },
  klass: {
    name: "Klass",
    by: ({ klass }) => klass,
    cell: ({ klass }) => <a href={searchLink(filterText({ klass }))}>{klass}</a>,
  },
  state: { name: "State", by: ({ state }) => state, cell: ({ state }) => <State state={state} /> },
  queue: {
    name: "Queue",
    isWide: true,
    by: ({ queue }) => queue,
    cell: ({ queue }) => (queue === "" ? null : <a href={queueLink(queue)}>{queue}</a>),
  },
  priority: {
    name: "Priority",
    isNumber: true,
    isWide: true,
    by: ({ priority }) => priority,
    cell: ({ priority }) => priority,
  },
  tags: { name: "Tags", isWide: true, cell: ({ tags }) => <Tags tags={tags} /> },
  since: {
    name: "Since",
    by: (job) => sinceOf(job) ?? 0,
    cell: (job) => <When at={sinceOf(job)} />,
  },
  detail: { name: "Detail", isWide: true, cell: (job) => <Detail job={job} /> },
};

/** Columns that a list may do without. */
export type ColumnName = "state" | "queue" | "priority" | "tags" | "detail";

/** Jobs in rows, wherever they are listed. */
export function JobTable(props: {
  caption: string;
  jobs: readonly Job[];
  without?: readonly ColumnName[];
  selection?: Selection | undefined;
}) {
  const columns = Object.entries(COLUMNS)
    .filter(([name]) => !(props.without ?? []).includes(name as ColumnName))
    .map(([, column]) => column);
  return (
    <Table
      caption={props.caption}
      columns={columns}
      rows={props.jobs}
      id={({ jid }) => jid}
      selection={props.selection}
      tone={({ state }) => (state === "stalled" ? "warned" : "")}
    />
  );
}
