import { job as load, workers } from "../../lib/calls.ts";
import { filterText } from "../../lib/filter.ts";
import { count, length } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { linkTo, queueLink, searchLink } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { Job, LiveEvent } from "../../lib/shapes.ts";
import { lastSaid, sinceOf } from "../../lib/since.ts";
import { Copy, Empty, Page, Panel, Trouble } from "../../parts/common.tsx";
import { Tags } from "../../parts/job-table.tsx";
import { Json } from "../../parts/json.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { State } from "../../parts/state.tsx";
import { When } from "../../parts/when.tsx";
import { JobActions } from "./actions.tsx";
import { Explain } from "./explain.tsx";
import { Graph } from "./graph.tsx";
import { History } from "./history.tsx";
import { Timeline } from "./timeline.tsx";

/** Everything about one job. */
export function JobPage({ jid }: { jid: string }) {
  const concerns = (event: LiveEvent) =>
    event.jid === jid || event.to === jid || event.event === "audit";
  const found = useResource(`job ${jid}`, (signal) => load(jid, signal), {
    on: concerns,
    every: 2000,
  });
  const { value: job, error } = found;
  const isGone = (error as { status?: number } | undefined)?.status === 404;
  if (job === undefined || isGone) {
    return (
      <Page title={jid} about="A job">
        {error === undefined ? (
          <p class="loading" role="status">
            Loading
          </p>
        ) : isGone ? (
          <Gone jid={jid} known={job} />
        ) : (
          <Trouble error={error} retry={found.refresh} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={jid}
      about={<About job={job} />}
      actions={
        may("admin") || may("put") ? <JobActions job={job} refresh={found.refresh} /> : undefined
      }
    >
      {error !== undefined && <Trouble error={error} retry={found.refresh} />}
      <Progress job={job} />
      <Failure job={job} />
      <Explain job={job} />
      <Panel title="Timeline">
        <Timeline job={job} />
      </Panel>
      <div class="side-by-side">
        <Panel title="Data">
          <Json text={job.data.text} name="Data" />
        </Panel>
        <Panel title="Facts">
          <Facts job={job} />
        </Panel>
      </div>
      <Graph job={job} />
      <Panel title="History" aside={count(job.history.length)}>
        <History job={job} />
      </Panel>
    </Page>
  );
}

function About({ job }: { job: Job }) {
  return (
    <span class="row">
      <State state={job.state} />
      <a href={searchLink(filterText({ klass: job.klass }))}>{job.klass}</a>
      {job.queue !== "" && (
        <span>
          in{" "}
          <a data-up href={queueLink(job.queue)}>
            {job.queue}
          </a>
        </span>
      )}
      {job.worker !== "" && (
        <span>
          on <a href={linkTo(["workers", job.worker])}>{job.worker}</a>
        </span>
      )}
      <span class="quiet">
        {job.state === "scheduled" ? "due" : "since"} <When at={sinceOf(job)} />
      </span>
      {job.tracked && <span class="tag">★ tracked</span>}
    </span>
  );
}

function Gone({ jid, known }: { jid: string; known: Job | undefined }) {
  return (
    <Empty title={known === undefined ? "There is no such job" : "This job is gone"}>
      It was never put, or canceled, or completed so long ago that it is not kept any more.{" "}
      <a href={searchLink(filterText({ jid }))}>Search for jids like it</a>
      {known !== undefined && (
        <>
          , or look at <a href={queueLink(known.queue)}>{known.queue || "its queue"}</a>
        </>
      )}
      .
    </Empty>
  );
}

/** How far it says to be: by its check-ins, or by what its worker told last. */
function Progress({ job }: { job: Job }) {
  const isRunning = job.state === "running";
  const crew = useResource("workers", workers, { every: isRunning ? 5000 : 60_000 });
  if (!isRunning) return null;
  const holder = crew.value?.find(({ name }) => name === job.worker);
  const run = holder?.present?.facts.runs?.find(({ jid }) => jid === job.jid);
  const entry = lastSaid(job);
  const said = entry?.what ?? run?.said;
  const progress = entry?.progress ?? run?.progress;
  return (
    <div class="checkin" role="status">
      {progress !== undefined && (
        <progress value={progress} max={1} aria-label="Progress">
          {Math.round(progress * 100)} %
        </progress>
      )}
      <span>
        {progress !== undefined && <strong>{Math.round(progress * 100)} % </strong>}
        {said ?? "Runs, and has said nothing yet"}
        {entry !== undefined && (
          <span class="quiet">
            {" "}
            <When at={entry.when} />
          </span>
        )}
      </span>
      <span class="quiet">
        Its lock expires <When at={job.expires} />
      </span>
    </div>
  );
}

function Failure({ job: { failure, state } }: { job: Job }) {
  if (failure.group === undefined) return null;
  return (
    <Panel
      title={state === "failed" ? "Failure" : "Last failure"}
      class={state === "failed" ? "failure" : ""}
      aside={<Copy text={failure.message ?? ""} label="Copy" />}
    >
      <p>
        <a href={linkTo(["failures", failure.group])}>
          <strong>{failure.group}</strong>
        </a>{" "}
        <span class="quiet">
          <When at={failure.when} />
          {failure.worker !== undefined && failure.worker !== "" && ` on ${failure.worker}`}
        </span>
      </p>
      <Scroll class="stack" label="What went wrong">
        <pre>{failure.message}</pre>
      </Scroll>
    </Panel>
  );
}

function Facts({ job }: { job: Job }) {
  const { spawned_from_jid: parent, source, backoff, cutoff, unique, lease, context } = job;
  const rows: [string, preact.ComponentChildren][] = [
    ["Priority", job.priority],
    ["Retries", `${job.remaining} of ${job.retries} left`],
    ["Tags", job.tags.length === 0 ? "none" : <Tags tags={job.tags} />],
    ["Source", source !== null && <a href={searchLink(filterText({ source }))}>{source}</a>],
    ["From", parent !== null && <a href={linkTo(["recurring"])}>{parent}</a>],
    ["Due", job.scheduled !== null && <When at={job.scheduled} />],
    ["Backoff", backoff],
    ["Cutoff", cutoff !== null && length(cutoff)],
    ["Unique key", unique],
    ["Lease", lease],
    ["Context", context],
  ];
  return (
    <dl class="facts">
      {rows
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
