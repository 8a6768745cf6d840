import type { ComponentChildren } from "preact";
import { linkTo, queueLink } from "../../lib/route.ts";
import type { Entry, Job } from "../../lib/shapes.ts";
import { Json } from "../../parts/json.tsx";
import { When } from "../../parts/when.tsx";

const textIn = (entry: Entry, name: string) => String(entry[name] ?? "");

const TOLD: Record<string, (entry: Entry) => ComponentChildren> = {
  put: (entry) => (
    <>
      put into <a href={queueLink(textIn(entry, "q"))}>{textIn(entry, "q")}</a>
    </>
  ),
  popped: (entry) => (
    <>
      handed to <a href={linkTo(["workers", textIn(entry, "worker")])}>{textIn(entry, "worker")}</a>
    </>
  ),
  done: () => "completed",
  retried: (entry) => `to be tried again, by ${textIn(entry, "worker")}`,
  failed: (entry) => (
    <>
      failed in <a href={linkTo(["failures", textIn(entry, "group")])}>{textIn(entry, "group")}</a>
      {entry.worker !== undefined && ` on ${textIn(entry, "worker")}`}
    </>
  ),
  "timed-out": () => "lost its lock",
  operator: (entry) => (
    <>
      <strong>{textIn(entry, "action")}</strong> by the operator {textIn(entry, "by")}
    </>
  ),
};

/** All that was noted of the job, the last first: by the queue, by itself, and by operators. */
export function History({ job: { history } }: { job: Job }) {
  return (
    <ol class="history">
      {history
        .map((entry, i) => ({ entry, i }))
        .toReversed()
        .map(({ entry, i }) => (
          <li key={i} class={entry.what in TOLD ? "own" : "logged"}>
            <When at={entry.when} />
            <span>
              {Object.hasOwn(TOLD, entry.what) ? (
                TOLD[entry.what]!(entry)
              ) : (
                <Logged entry={entry} />
              )}
            </span>
          </li>
        ))}
    </ol>
  );
}

function Logged({ entry: { what, when: _, progress, ...rest } }: { entry: Entry }) {
  const isMore = Object.keys(rest).length > 0;
  return (
    <>
      “{what}”{typeof progress === "number" && ` ${Math.round(progress * 100)} %`}
      {isMore && <Json text={JSON.stringify(rest)} name="Entry" />}
    </>
  );
}
