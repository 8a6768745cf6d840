import { useState } from "preact/hooks";
import { ask, type Request } from "../lib/api.ts";
import {
  type BulkAction,
  cancelJobs,
  moveJobs,
  retryJob,
  setPriority,
  tagJob,
} from "../lib/deeds.ts";
import { exact, plural } from "../lib/format.ts";
import type { Criteria } from "../lib/shapes.ts";
import { confirm } from "./action.tsx";
import { changeMany, listFrom, VERBS } from "./bulk.tsx";
import type { Values } from "./fields.tsx";
import type { Selection } from "./table.tsx";
import { say } from "./toasts.tsx";

interface Props {
  selection: Selection & { clear(): void };
  criteria: Criteria;
  about: string;
  total: number | undefined;
  shown: number;
  refresh: () => void;
}

const ACTIONS: readonly BulkAction[] = ["retry", "cancel", "move", "priority", "tag", "untag"];

/** What can be done with the rows that are selected, or with all that the list would ever show. */
export function SelectionBar(props: Props) {
  const { selection, shown } = props;
  const chosen = [...selection.chosen];
  const [isAll, setAll] = useState(false);
  if (shown === 0 && chosen.length === 0) return null;
  const hasFilter = Object.keys(props.criteria).some((name) => name !== "order");
  const act = (action: BulkAction) => {
    const { criteria: filter, about } = props;
    const after = () => {
      setAll(false);
      props.refresh();
    };
    if (isAll) changeMany({ action, filter, about, after });
    else changeChosen(action, chosen, props);
  };
  return (
    <div class="selection">
      <label class="check">
        <input
          type="checkbox"
          checked={isAll}
          disabled={!hasFilter}
          onChange={() => setAll(!isAll)}
        />
        {`All ${props.total === undefined ? "" : `${exact(props.total)} `}${props.about}`}
      </label>
      <span class="selected" aria-live="polite">
        {isAll ? "all of them" : `${plural(chosen.length, "job")} selected`}
      </span>
      <span class="buttons">
        {ACTIONS.map((action) => (
          <button
            key={action}
            type="button"
            class={action === "cancel" ? "danger" : ""}
            disabled={!isAll && chosen.length === 0}
            onClick={() => act(action)}
          >
            {action === "priority" ? "Priority" : VERBS[action]}
          </button>
        ))}
      </span>
    </div>
  );
}

const LABELS: Partial<Record<BulkAction, [name: string, label: string]>> = {
  move: ["queue", "Into the queue"],
  tag: ["tags", "Tags, with commas between them"],
  untag: ["tags", "Tags, with commas between them"],
  priority: ["priority", "Priority; lower runs sooner"],
};

/** The request for one job, where there is none for several. */
function singly(action: BulkAction, jid: string, values: Values): Request {
  if (action === "retry") return retryJob(jid);
  if (action === "priority") return setPriority(jid, Number(values.priority));
  const tags = listFrom(values.tags ?? "");
  return action === "tag" ? tagJob(jid, tags) : tagJob(jid, [], tags);
}

function requestFor(action: BulkAction, jids: readonly string[], values: Values): Request {
  if (action === "cancel") return cancelJobs(jids);
  if (action === "move") return moveJobs(jids, values.queue ?? "");
  return singly(action, jids[0]!, values);
}

function changeChosen(action: BulkAction, jids: string[], { selection, refresh }: Props): void {
  const [name, label] = LABELS[action] ?? [];
  let typed: Values = {};
  confirm({
    title: `${VERBS[action]} ${plural(jids.length, "job")}`,
    verb: `${VERBS[action]} ${plural(jids.length, "job")}`,
    isDangerous: action === "cancel",
    says:
      action === "cancel"
        ? "Canceled jobs are gone; running ones are taken from their workers."
        : undefined,
    fields:
      name === undefined
        ? []
        : [{ name, label: label!, isNeeded: true, kind: name === "priority" ? "number" : "text" }],
    request: (values) => {
      typed = values;
      return requestFor(action, jids, values);
    },
    done: `${VERBS[action]}: asked for ${plural(jids.length, "job")}`,
    after: () => {
      selection.clear();
      if (action === "cancel" || action === "move") refresh();
      else void oneByOne(action, jids.slice(1), typed).then(refresh);
    },
  });
}

/** The rest of the jobs, each judged on its own. */
async function oneByOne(action: BulkAction, jids: string[], values: Values): Promise<void> {
  const refused: string[] = [];
  for (const jid of jids) {
    await ask(singly(action, jid, values)).catch((error: Error) => refused.push(error.message));
  }
  if (refused.length > 0) say(`${plural(refused.length, "job")} refused: ${refused[0]}.`);
}
