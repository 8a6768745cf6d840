import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { type Finding, find } from "../lib/finding.ts";
import { exact, plural } from "../lib/format.ts";
import { useResource } from "../lib/resource.ts";
import { usePlace, withQuery } from "../lib/route.ts";
import { may } from "../lib/session.ts";
import type { Criteria, LiveEvent } from "../lib/shapes.ts";
import { Loaded } from "./common.tsx";
import { type ColumnName, JobTable } from "./job-table.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useSelection } from "./table.tsx";

/** Jobs that a list is about: what it asks for, and what it is called. */
export interface Listed {
  criteria: Criteria;
  /** Stays the same while the list is the same, though its criteria say "since two hours ago". */
  name: string;
  about: string;
  without?: readonly ColumnName[];
  /** Which come first unless somebody asks for the others. */
  usual?: Order;
  /** How many there are, where that is known. */
  total?: number | undefined;
  empty: ComponentChildren;
  on?: (event: LiveEvent) => boolean;
}

type Order = "newest" | "oldest";

const MOVES = new Set(["put", "completed", "failed", "canceled", "advanced", "lock_lost", "audit"]);

/** Jobs a page at a time, however many there are; the page is part of the address. */
export function JobList(props: Listed) {
  const place = usePlace();
  const at = place.query.get("at") ?? "";
  const { usual = "newest" } = props;
  const asked = place.query.get("order");
  const order = asked === "oldest" || asked === "newest" ? asked : usual;
  const criteria: Criteria = { order, ...props.criteria };
  const { name } = props;
  const page = useResource<Finding>(
    `list ${name} ${order} ${at}`,
    (signal) => find(criteria, at, signal),
    { on: props.on ?? (({ event }) => MOVES.has(event)), every: 5000 },
  );
  const selection = useSelection();
  const { clear } = selection;
  useEffect(() => clear(), [name]);
  const canAct = may("admin");
  return (
    <div class="job-list">
      {canAct && (
        <SelectionBar
          // Whoever chose all of one list has not chosen all of another.
          key={name}
          selection={selection}
          criteria={props.criteria}
          about={props.about}
          total={props.total}
          shown={page.value?.jobs.length ?? 0}
          refresh={page.refresh}
        />
      )}
      <Loaded resource={page}>
        {(found) =>
          found.jobs.length === 0 && found.cursor === null ? (
            props.empty
          ) : (
            <>
              <JobTable
                caption={`Jobs: ${props.about}`}
                jobs={found.jobs}
                without={props.without ?? []}
                selection={canAct ? selection : undefined}
              />
              <Pager
                found={found}
                total={props.total}
                isFirst={at === ""}
                order={order}
                isOrdered={props.criteria.order !== undefined}
              />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function Pager(props: {
  found: Finding;
  total: number | undefined;
  isFirst: boolean;
  order: Order;
  /** Whether the filter itself says which come first. */
  isOrdered: boolean;
}) {
  const place = usePlace();
  const { found, total, isFirst, order } = props;
  const other = order === "newest" ? "oldest" : "newest";
  return (
    <nav class="pager" aria-label="Pages of this list">
      <span class="quiet">
        {plural(found.jobs.length, "job")} here{total !== undefined && `, ${exact(total)} in all`}
        {found.isPartial && "; the search goes on where it stopped"}
      </span>
      {!props.isOrdered && (
        <a
          href={withQuery(place, { order: other, at: undefined })}
          title={`Now the ${order} first`}
        >
          {other === "oldest" ? "Oldest first" : "Newest first"}
        </a>
      )}
      {!isFirst && (
        <a data-first href={withQuery(place, { at: undefined })}>
          First page
        </a>
      )}
      {found.cursor !== null && (
        <a data-next href={withQuery(place, { at: found.cursor })}>
          Next page
        </a>
      )}
    </nav>
  );
}
