import type { ComponentChildren } from "preact";
import { explain } from "../../lib/calls.ts";
import { exact, plural } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { jobLink, linkTo, queueLink } from "../../lib/route.ts";
import type { Job, Reason } from "../../lib/shapes.ts";
import { Panel } from "../../parts/common.tsx";
import { When } from "../../parts/when.tsx";

/** Jobs that a sentence names. */
const NAMED = 5;

/** Why the job is not running, in words and in the order in which the reasons would have to go away. */
export function Explain({ job }: { job: Job }) {
  const isOver = job.state === "complete" || job.state === "running" || job.state === "failed";
  const told = useResource(`explain ${job.jid}`, (signal) => explain(job.jid, signal), {
    every: isOver ? 60_000 : 4000,
    on: ({ jid, queue }) => jid === job.jid || queue === job.queue,
  });
  if (isOver || told.value === undefined) return null;
  const { reasons, queue } = told.value;
  return (
    <Panel title="Why is it not running?" class="why">
      {reasons.length === 0 ? (
        <p>Nothing is in its way: it is the next to be handed out.</p>
      ) : (
        <ol>
          {reasons.map((reason) => (
            <li key={reason.reason}>{sentenceOf(reason, queue)}</li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

type Told = (reason: Reason, queue: string) => ComponentChildren;

const moment = (value: unknown) => (typeof value === "number" ? value : undefined);
const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

function Named({ jids }: { jids: readonly string[] }) {
  return (
    <>
      {jids.slice(0, NAMED).map((jid, i) => (
        <span key={jid}>
          {i > 0 && ", "}
          <a href={jobLink(jid)}>{jid}</a>
        </span>
      ))}
      {jids.length > NAMED && ` and ${exact(jids.length - NAMED)} more`}
    </>
  );
}

const SENTENCES: Record<string, Told> = {
  "lock-expired": ({ worker, until }) => (
    <>
      Its worker <a href={linkTo(["workers", String(worker)])}>{String(worker)}</a> has gone silent:
      its lock expired <When at={moment(until)} />. It is given to another once its grace is over.
    </>
  ),
  locked: ({ worker }) => <>It runs on {String(worker)}.</>,
  depends: ({ count, on }) => (
    <>
      It waits for {plural(Number(count), "other job")} to complete: <Named jids={list(on)} />.
    </>
  ),
  scheduled: ({ until }) => (
    <>
      It is not due before <When at={moment(until)} />.
    </>
  ),
  paused: ({ why, until }, queue) => (
    <>
      Its queue <a href={queueLink(queue)}>{queue}</a> is paused
      {typeof why === "string" && `: ${why}`}
      {moment(until) !== undefined && (
        <>
          , until <When at={moment(until)} />
        </>
      )}
      .
    </>
  ),
  concurrency: ({ limit, running }, queue) => (
    <>
      <a href={queueLink(queue, { state: "running" })}>{queue}</a> may run{" "}
      {plural(Number(limit), "job")} at a time, and these run: <Named jids={list(running)} />.
    </>
  ),
  behind: ({ count }, queue) => (
    <>
      {plural(Number(count), "job")} in <a href={queueLink(queue)}>{queue}</a> come before it, by
      priority or by age.
    </>
  ),
  "not-asked": ({ since }, queue) => (
    <>
      No worker asks for jobs of {queue}
      {moment(since) === undefined ? (
        "; none ever did"
      ) : (
        <>
          ; the last one did <When at={moment(since)} />
        </>
      )}
      . Start one with <code>qless work</code>.
    </>
  ),
  "no-handler": ({ klass, workers }) => (
    <>
      {plural(Number(workers), "worker")} {workers === 1 ? "takes" : "take"} from its queue, and
      none has a handler for {String(klass)}. Deploy one that has.
    </>
  ),
};

function sentenceOf(reason: Reason, queue: string): ComponentChildren {
  const known = Object.hasOwn(SENTENCES, reason.reason) ? SENTENCES[reason.reason] : undefined;
  return known === undefined ? reason.reason : known(reason, queue);
}
