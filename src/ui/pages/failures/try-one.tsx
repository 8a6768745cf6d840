import { useState } from "preact/hooks";
import { ask } from "../../lib/api.ts";
import { ended } from "../../lib/calls.ts";
import { retryJob } from "../../lib/deeds.ts";
import { exact } from "../../lib/format.ts";
import { jobLink } from "../../lib/route.ts";
import type { Job } from "../../lib/shapes.ts";
import { Trouble } from "../../parts/common.tsx";
import { retryGroup } from "./failures.tsx";

/** How long the one job is waited for, in seconds at a time. */
const WAIT_S = 15;

type Tried = { jid: string; state: string; message: string | undefined };

/** Lets one job run again before all do: whether it is worth it is seen by how it ends. */
export function TryOne(props: {
  group: string;
  job: Job | undefined;
  total: number;
  refresh: () => void;
}) {
  const [tried, set] = useState<Tried>();
  const [error, setError] = useState<Error>();
  const begin = async (jid: string) => {
    setError(undefined);
    set({ jid, state: "pending", message: undefined });
    try {
      await ask(retryJob(jid));
      for (let state = "pending"; state === "pending"; ) {
        const end = await ended(jid, WAIT_S);
        state = end.state;
        set({ jid, state, message: end.job?.failure.message });
      }
    } catch (thrown) {
      set(undefined);
      setError(thrown as Error);
    }
    props.refresh();
  };
  return (
    <div class="try-one">
      {error !== undefined && <Trouble error={error} />}
      {tried !== undefined && <Outcome {...tried} />}
      {tried?.state === "complete" ? (
        <button
          type="button"
          class="primary"
          onClick={() => retryGroup(props.group, props.refresh)}
        >
          Retry the other {exact(props.total)}
        </button>
      ) : (
        <button
          type="button"
          disabled={props.job === undefined || tried?.state === "pending"}
          onClick={() => void begin(props.job!.jid)}
        >
          Try one first
        </button>
      )}
      {tried === undefined && (
        <span class="quiet">
          The one that failed last runs again; the rest wait for how it ends.
        </span>
      )}
    </div>
  );
}

function Outcome({ jid, state, message }: Tried) {
  const words: Record<string, string> = {
    pending: "runs again; waiting for how it ends…",
    complete: "completed this time.",
    failed: "failed again",
    gone: "is gone.",
  };
  return (
    <p class={state === "failed" ? "trouble" : ""} role="status">
      <a href={jobLink(jid)}>{jid}</a> {words[state] ?? state}
      {state === "failed" && `: ${message?.split("\n", 1)[0] ?? ""}`}
    </p>
  );
}
