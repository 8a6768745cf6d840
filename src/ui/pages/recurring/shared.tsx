import type { RawJson } from "../../../json/raw-json.ts";
import type { Request } from "../../lib/api.ts";
import { putJob } from "../../lib/deeds.ts";
import { goTo, jobLink, queueLink } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import { act, confirm } from "../../parts/action.tsx";
import { State } from "../../parts/state.tsx";
import type { Column } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";

/** What the tables of schedules and of intervals have in common. */
interface Recurs {
  jid: string;
  klass: string;
  queue: string;
  data: RawJson;
  paused: boolean;
  next: number | null;
}

export const nameColumn = (name: string): Column<Recurs> => ({
  name,
  by: ({ jid }) => jid,
  cell: ({ jid, paused }) => (
    <>
      <strong>{jid}</strong>
      {paused && (
        <>
          {" "}
          <State state="paused" />
        </>
      )}
    </>
  ),
});

export const PUTS: Column<Recurs> = {
  name: "Puts",
  isWide: true,
  cell: ({ klass, queue }) => (
    <span class="mixed">
      {klass} into <a href={queueLink(queue)}>{queue}</a>
    </span>
  ),
};

export const NEXT: Column<Recurs> = {
  name: "Next",
  by: ({ next }) => next ?? Number.POSITIVE_INFINITY,
  cell: ({ next, paused }) => (paused ? <span class="quiet">paused</span> : <When at={next} />),
};

/** How one kind is paused, changed and ended. */
export interface Deeds<One> {
  pause: (jid: string, paused: boolean) => Request;
  edit: (one: One, after: () => void) => void;
  drop: (jid: string) => Request;
}

/** The column of buttons, for those who may press them. */
export const actionsColumn = <One extends Recurs>(
  deeds: Deeds<One>,
  refresh: () => void,
): Column<One> => ({
  name: "",
  class: "row-actions",
  cell: (one) => <Actions one={one} deeds={deeds} refresh={refresh} />,
});

interface Acting<One> {
  one: One;
  deeds: Deeds<One>;
  refresh: () => void;
}

function Actions<One extends Recurs>({ one, deeds, refresh }: Acting<One>) {
  if (!may("admin")) return null;
  const { jid, paused } = one;
  const pauses = paused ? "Unpause" : "Pause";
  const pause = () =>
    act(deeds.pause(jid, !paused), paused ? `${jid} goes on` : `${jid} is paused`, refresh);
  return (
    <span class="buttons">
      <button type="button" onClick={() => runNow(one)} aria-label={`Run now: ${jid}`}>
        Run now
      </button>
      <button type="button" onClick={() => void pause()} aria-label={`${pauses} ${jid}`}>
        {pauses}
      </button>
      <button type="button" onClick={() => deeds.edit(one, refresh)} aria-label={`Edit ${jid}`}>
        Edit
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => end(jid, deeds.drop, refresh)}
        aria-label={`End ${jid}`}
      >
        End
      </button>
    </span>
  );
}

function end(jid: string, drop: Deeds<unknown>["drop"], refresh: () => void): void {
  confirm({
    title: `End ${jid}`,
    verb: "End it",
    isDangerous: true,
    says: "No more jobs are put by it; those that were stay.",
    request: () => drop(jid),
    done: `${jid} has ended`,
    after: refresh,
  });
}

/** A job like those that it puts, at once and besides them. */
function runNow({ klass, queue, data, jid }: Recurs): void {
  confirm({
    title: `Run ${jid} now`,
    verb: "Put it",
    says: `Puts one job of ${klass} into ${queue}, besides those that come by themselves.`,
    request: () => putJob({ klass, queue, data, tags: [`from:${jid}`.slice(0, 250)] }),
    done: "A job was put",
    after: (answer) => goTo(jobLink((answer as { jid: string }).jid)),
  });
}
