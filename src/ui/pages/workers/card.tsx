import { jobs as load, workerJobs } from "../../lib/calls.ts";
import { deregister } from "../../lib/deeds.ts";
import { count, length } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { jobLink, linkTo, queueLink } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { Job, Run, Worker } from "../../lib/shapes.ts";
import { sinceOf } from "../../lib/since.ts";
import { confirm } from "../../parts/action.tsx";
import { Loaded } from "../../parts/common.tsx";
import { State } from "../../parts/state.tsx";
import { Since, When } from "../../parts/when.tsx";

/** Jobs of a worker that are listed. */
const MAX_JOBS = 50;

const secondsOf = (iso: string | undefined) => {
  const ms = Date.parse(iso ?? "");
  return Number.isNaN(ms) ? undefined : ms / 1000;
};

/** One process: what it is, and what each of its slots does. */
export function WorkerCard(props: { worker: Worker; refresh: () => void; isOpen: boolean }) {
  const { worker, isOpen } = props;
  const { name, present, stalled } = worker;
  const { facts = {}, queues = [], klasses = [] } = present ?? {};
  return (
    <section class="panel card" aria-label={`Worker ${name}`}>
      <div class="panel-head">
        <h2>
          <a href={linkTo(["workers", name])}>{name}</a>
        </h2>
        <div class="aside">
          {stalled > 0 && <State state="stalled" />}
          {facts.paused === true && <State state="paused" />}
          {may("admin") && isOpen && (
            <button type="button" onClick={() => askDeregister(name, props.refresh)}>
              Take off the list
            </button>
          )}
        </div>
      </div>
      {present === null ? (
        <p class="quiet">It says nothing of itself; only what it holds is known.</p>
      ) : (
        <dl class="pairs">
          <Pair name="Host" value={facts.host} />
          <Pair name="Process" value={facts.pid} />
          <Pair name="Version" value={facts.version} />
          <Pair
            name="Memory"
            value={facts.memory === undefined ? undefined : `${count(facts.memory)} MB`}
          />
          <Pair name="Lag" value={facts.lag === undefined ? undefined : length(facts.lag / 1000)} />
          <Pair name="Up for" value={<Since at={secondsOf(facts.since)} />} />
          <Pair name="Heard until" value={<When at={present.until} />} />
        </dl>
      )}
      <Slots worker={worker} runs={facts.runs ?? []} concurrency={facts.concurrency} />
      {(isOpen || stalled > 0) && <Held name={name} runs={facts.runs ?? []} />}
      {queues.length > 0 && (
        <p class="detail">
          Queues:{" "}
          {queues.slice(0, 30).map((queue) => (
            <a key={queue} class="tag" href={queueLink(queue)}>
              {queue}
            </a>
          ))}
        </p>
      )}
      {klasses.length > 0 && <p class="detail">Klasses: {klasses.slice(0, 50).join(", ")}</p>}
      {(facts.unhandled ?? []).length > 0 && (
        <p class="trouble">Came without a handler: {facts.unhandled!.join(", ")}</p>
      )}
    </section>
  );
}

function Pair({ name, value }: { name: string; value: preact.ComponentChildren }) {
  if (value === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** What each slot does, and since when. */
function Slots(props: { worker: Worker; runs: readonly Run[]; concurrency: number | undefined }) {
  const { runs, concurrency } = props;
  if (props.worker.present === null) return null;
  const free = Math.max(0, Math.min(concurrency ?? 0, 100) - runs.length);
  return (
    <ul class="slots">
      {runs.map((run) => (
        <li key={run.jid} class="slot busy">
          <a href={jobLink(run.jid)}>{run.jid}</a> <span>{run.klass}</span>{" "}
          <span class="quiet">
            <Since at={secondsOf(run.since)} />
            {run.said !== undefined && ` · ${run.said}`}
          </span>
          {run.progress !== undefined && (
            <progress value={run.progress} max={1} aria-label={`Progress of ${run.jid}`} />
          )}
        </li>
      ))}
      {free > 0 && (
        <li class="slot free">
          {free} of {count(concurrency ?? 0)} slots are free
        </li>
      )}
    </ul>
  );
}

/** What the store says that it holds, which a worker that died cannot hide, besides what it runs. */
function Held({ name, runs }: { name: string; runs: readonly Run[] }) {
  const held = useResource(
    `held ${name}`,
    async (signal) => {
      const { jobs, stalled } = await workerJobs(name, signal);
      return load([...stalled, ...jobs].slice(0, MAX_JOBS), signal);
    },
    { every: 4000 },
  );
  return (
    <Loaded resource={held}>
      {(list: Job[]) =>
        list.length === 0 ? (
          <p class="quiet">It holds no jobs.</p>
        ) : (
          <ul class="plain">
            {list.filter(isBesides(runs)).map((job) => (
              <li key={job.jid}>
                <State state={job.state} /> <a href={jobLink(job.jid)}>{job.jid}</a> {job.klass} in{" "}
                <a href={queueLink(job.queue)}>{job.queue}</a>{" "}
                <span class="quiet">
                  <When at={sinceOf(job)} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

/** Whether there is more to be said of a job than that a slot runs it. */
const isBesides = (runs: readonly Run[]) => (job: Job) =>
  job.state !== "running" || !runs.some(({ jid }) => jid === job.jid);

function askDeregister(name: string, refresh: () => void): void {
  confirm({
    title: `Take ${name} off the list`,
    verb: "Take it off",
    isDangerous: true,
    says: "For a worker that is gone. Its locks stay until they expire, and it comes back if it asks for work.",
    request: () => deregister(name),
    done: `${name} is off the list`,
    after: refresh,
  });
}
