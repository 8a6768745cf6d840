import { useEffect, useState } from "preact/hooks";
import { ask } from "../lib/api.ts";
import { operation, search } from "../lib/calls.ts";
import { type Bulk, type BulkAction, bulk, stopOperation } from "../lib/deeds.ts";
import { exact, plural } from "../lib/format.ts";
import { jobLink } from "../lib/route.ts";
import type { Criteria, Job, Operation } from "../lib/shapes.ts";
import { Store, useStore } from "../lib/store.ts";
import { SameByHttp } from "./action.tsx";
import { Meter, Trouble } from "./common.tsx";
import { Dialog } from "./dialog.tsx";
import { type Field, Fields, initialOf, type Values } from "./fields.tsx";

/** A change of all jobs that a filter finds. */
export interface BulkAsked {
  action: BulkAction;
  filter: Criteria;
  /** What the jobs are, such as "jobs that failed in x". */
  about: string;
  after?: () => void;
}

const asked = new Store<BulkAsked | undefined>(undefined);

export const changeMany = (what: BulkAsked) => asked.set(what);

export function BulkHost() {
  const what = useStore(asked);
  if (what === undefined) return null;
  return <BulkDialog what={what} close={() => asked.set(undefined)} />;
}

export const VERBS: Record<BulkAction, string> = {
  retry: "Retry",
  cancel: "Cancel",
  move: "Move",
  tag: "Tag",
  untag: "Untag",
  priority: "Set priority of",
};

const FIELDS: Partial<Record<BulkAction, Field>> = {
  move: { name: "queue", label: "Into the queue", isNeeded: true },
  tag: { name: "tags", label: "Tags, with commas between them", isNeeded: true },
  untag: { name: "tags", label: "Tags, with commas between them", isNeeded: true },
  priority: {
    name: "priority",
    label: "Priority; lower runs sooner",
    kind: "number",
    isNeeded: true,
  },
};

export function bodyOf(action: BulkAction, filter: Criteria, values: Values): Bulk {
  const { queue = "", tags = "", priority = "0" } = values;
  if (action === "move") return { action, filter, queue };
  if (action === "tag" || action === "untag") return { action, filter, tags: listFrom(tags) };
  if (action === "priority") return { action, filter, priority: Number(priority) };
  return { action, filter };
}

export const listFrom = (text: string) =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");

/** Follows an operation to its end. */
export async function followed(
  begun: Operation,
  tell: (now: Operation) => void,
  signal: AbortSignal,
): Promise<Operation> {
  let now = begun;
  tell(now);
  while (now.state === "running" && !signal.aborted) {
    now = await operation(now.id, 0.5, signal);
    tell(now);
  }
  return now;
}

/** How many there are, and some of them. */
interface Counted {
  total: number | undefined;
  sample: Job[];
}

function BulkDialog({ what, close }: { what: BulkAsked; close: () => void }) {
  const { action, filter } = what;
  const field = FIELDS[action];
  const fields = field === undefined ? [] : [field];
  const [values, change] = useState(() => initialOf(fields));
  const counted = useCount(what);
  const [running, setRunning] = useState<Operation>();
  const [error, setError] = useState<Error>();
  const begin = async () => {
    try {
      const begun = await ask<Operation>(bulk(bodyOf(action, filter, values)));
      const end = await followed(begun, setRunning, new AbortController().signal);
      if (end.error !== null) setError(new Error(end.error.message));
      what.after?.();
    } catch (thrown) {
      setError(thrown as Error);
    }
  };
  const { total } = counted;
  return (
    <Dialog title={`${VERBS[action]} ${what.about}`} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void begin();
        }}
      >
        <CountShown {...counted} />
        {running === undefined && <Fields fields={fields} values={values} change={change} />}
        {error !== undefined && <Trouble error={error} />}
        {running === undefined ? (
          <>
            <SameByHttp request={() => bulk(bodyOf(action, filter, values))} />
            <div class="buttons">
              <button type="button" onClick={close}>
                Leave them
              </button>
              <button
                type="submit"
                class={action === "cancel" ? "danger" : "primary"}
                disabled={total === undefined || total === 0}
              >
                {VERBS[action]} {total === undefined ? "…" : plural(total, "job")}
              </button>
            </div>
          </>
        ) : (
          <Progress now={running} close={close} />
        )}
      </form>
    </Dialog>
  );
}

/** Counts by a dry run, so that nobody changes more than they meant to. */
function useCount({ action, filter }: BulkAsked): Counted & { error: Error | undefined } {
  const [counted, set] = useState<Counted>({ total: undefined, sample: [] });
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const dry = bulk({ ...bodyOf(action, filter, { queue: "-", tags: "-" }), dry_run: true });
    const run = async () => {
      const { jobs } = await search(filter, "", 5, signal);
      set({ total: undefined, sample: jobs });
      const end = await followed(await ask<Operation>(dry, signal), () => undefined, signal);
      set({ total: end.found, sample: jobs });
    };
    run().catch((thrown: unknown) => signal.aborted || setError(thrown as Error));
    return () => leaving.abort();
  }, [action, filter]);
  return { ...counted, error };
}

function CountShown({ total, sample, error }: Counted & { error: Error | undefined }) {
  if (error !== undefined) return <Trouble error={error} />;
  return (
    <div class="says" aria-live="polite">
      <p>
        {total === undefined ? "Counting…" : `A dry run found ${plural(total, "job")}.`}
        {sample.length > 0 && " Among them:"}
      </p>
      <ul class="plain">
        {sample.map(({ jid, klass, failure }) => (
          <li key={jid}>
            <a href={jobLink(jid)}>{jid}</a> {klass}
            <span class="quiet"> {failure.message?.split("\n", 1)[0]?.slice(0, 80)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How far an operation has come, and what was refused. */
export function Progress({ now, close }: { now: Operation; close?: () => void }) {
  const { state, found, done, refused, errors, id } = now;
  const isOver = state !== "running";
  return (
    <div class="progress" role="status">
      <Meter value={done + refused} of={found} label="Progress" />
      <p>
        {exact(done)} of {exact(found)} done
        {refused > 0 && `, ${exact(refused)} refused`}
        {isOver ? `: ${state}.` : "…"}
      </p>
      {errors.length > 0 && (
        <ul class="plain">
          {errors.slice(0, 20).map(({ jid, message }) => (
            <li key={jid}>
              <a href={jobLink(jid)}>{jid}</a> {message}
            </li>
          ))}
        </ul>
      )}
      {close !== undefined && (
        <div class="buttons">
          {!isOver && (
            <button
              type="button"
              onClick={() => void ask(stopOperation(id)).catch(() => undefined)}
            >
              Stop here
            </button>
          )}
          <button type="button" class="primary" onClick={close}>
            {isOver ? "Done" : "Go on without me"}
          </button>
        </div>
      )}
    </div>
  );
}
