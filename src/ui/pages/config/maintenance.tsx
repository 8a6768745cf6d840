import { useState } from "preact/hooks";
import { ask } from "../../lib/api.ts";
import { operations } from "../../lib/calls.ts";
import { check } from "../../lib/deeds.ts";
import { exact, plural } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { may } from "../../lib/session.ts";
import type { Operation } from "../../lib/shapes.ts";
import { followed } from "../../parts/bulk.tsx";
import { Empty, Loaded, Panel, Trouble } from "../../parts/common.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";

/** Whether jobs and indexes agree, and what was done to many jobs lately. */
export function Maintenance() {
  const list = useResource("operations", operations, {
    on: ({ event }) => event === "bulk",
    every: 5000,
  });
  return (
    <>
      {may("admin") && <Check refresh={list.refresh} />}
      <Panel title="Changes of many jobs">
        <Loaded resource={list}>
          {(all) =>
            all.length === 0 ? (
              <Empty title="None since this server was started" />
            ) : (
              <Table caption="Operations" columns={COLUMNS} rows={all} id={({ id }) => id} />
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}

const COLUMNS: readonly Column<Operation>[] = [
  { name: "Action", cell: ({ action }) => action },
  { name: "By", isWide: true, cell: ({ by }) => by },
  { name: "State", cell: ({ state, error }) => <span title={error?.message}>{state}</span> },
  { name: "Found", isNumber: true, cell: ({ found }) => exact(found) },
  { name: "Done", isNumber: true, cell: ({ done }) => exact(done) },
  { name: "Refused", isNumber: true, isWide: true, cell: ({ refused }) => exact(refused) },
  { name: "Begun", cell: ({ begun }) => <When at={begun} /> },
];

function Check({ refresh }: { refresh: () => void }) {
  const [now, set] = useState<Operation>();
  const [error, setError] = useState<Error>();
  const run = async (repair: boolean) => {
    setError(undefined);
    try {
      const begun = await ask<Operation>(check(repair));
      await followed(begun, set, new AbortController().signal);
    } catch (thrown) {
      setError(thrown as Error);
    }
    refresh();
  };
  const isOver = now !== undefined && now.state !== "running";
  return (
    <Panel title="Check">
      <p>Goes through everything that is stored, and tells where jobs and indexes disagree.</p>
      {error !== undefined && <Trouble error={error} />}
      {now !== undefined && (
        <p role="status">
          {isOver
            ? `Found ${plural(now.findings.length, "disagreement")}.`
            : `Looked at ${exact(now.found)}…`}
        </p>
      )}
      {isOver && now.findings.length > 0 && (
        <ul class="plain">
          {now.findings.slice(0, 100).map(({ about, problem }) => (
            <li key={`${about} ${problem}`}>
              <code>{about}</code> {problem}
            </li>
          ))}
        </ul>
      )}
      <div class="buttons">
        <button
          type="button"
          disabled={now !== undefined && !isOver}
          onClick={() => void run(false)}
        >
          Check
        </button>
        {isOver && now.findings.length > 0 && (
          <button type="button" class="danger" onClick={() => void run(true)}>
            Repair
          </button>
        )}
      </div>
    </Panel>
  );
}
