import { allStatistics, groups, histories, queues, tracked, workers } from "../../lib/calls.ts";
import { count, exact } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { linkTo } from "../../lib/route.ts";
import { sample, seed } from "../../lib/samples.ts";
import type { Counts, Groups, LiveEvent } from "../../lib/shapes.ts";
import { Empty, Figure, Loaded, Page, Panel } from "../../parts/common.tsx";
import { JobTable } from "../../parts/job-table.tsx";
import { When } from "../../parts/when.tsx";
import { WorkerTable } from "../workers/table.tsx";
import { headsOf } from "./heads.ts";
import { Problems } from "./problem-list.tsx";
import { problemsOf } from "./problems.ts";
import { QueueTable } from "./queue-table.tsx";

/** Queues that one answer tells of. */
const MAX_QUEUES = 500;

const MOVES = new Set(["put", "completed", "failed", "canceled", "advanced", "lock_lost", "audit"]);
const moves = ({ event }: LiveEvent) => MOVES.has(event);

/** Whether the server was asked how queues went before. */
let isSeeded = false;

async function loadQueues(signal: AbortSignal) {
  const [counts, statistics, past] = await Promise.all([
    queues(signal),
    allStatistics(signal),
    isSeeded ? undefined : histories(signal),
  ]);
  isSeeded = true;
  for (const one of past?.queues ?? []) {
    const [own, told] = [counts.find(({ name }) => name === one.name), statistics.get(one.name)];
    if (past !== undefined && own !== undefined && told !== undefined) seed(past, one, own, told);
  }
  sample(counts, statistics);
  return { counts, statistics };
}

/** The page that is open all day: what is wrong first, then how everything goes. */
export function Overview() {
  const all = useResource("overview", loadQueues, { on: moves, every: 4000, gap: 1500 });
  const crew = useResource("workers", workers, { every: 5000 });
  const failed = useResource("groups", groups, { on: ({ event }) => event === "failed" });
  const counts = all.value?.counts ?? [];
  const names = counts.filter(({ waiting }) => waiting > 0).map(({ name }) => name);
  const heads = useResource(`heads ${names.join(" ")}`, (signal) => headsOf(counts, signal), {
    every: 10_000,
  });
  return (
    <Page title="Overview">
      <Loaded resource={all}>
        {({ counts, statistics }) => (
          <>
            <Problems problems={problemsOf(counts, crew.value ?? [], heads.value ?? new Map())} />
            <Totals counts={counts} failed={failed.value?.jobs} workers={crew.value?.length} />
            <Panel
              title="Queues"
              aside={counts.length < MAX_QUEUES ? exact(counts.length) : `the first ${MAX_QUEUES}`}
            >
              <QueueTable counts={counts} statistics={statistics} />
            </Panel>
          </>
        )}
      </Loaded>
      <div class="side-by-side">
        <FailurePanel groups={failed} />
        <TrackedPanel />
      </div>
      <Panel title="Workers" aside={<a href={linkTo(["workers"])}>All workers</a>}>
        <Loaded resource={crew}>{(list) => <WorkerTable workers={list.slice(0, 20)} />}</Loaded>
      </Panel>
    </Page>
  );
}

function Totals(props: {
  counts: Counts[];
  failed: number | undefined;
  workers: number | undefined;
}) {
  const sum = (name: "waiting" | "running" | "stalled" | "scheduled" | "depends") =>
    props.counts.reduce((total, one) => total + one[name], 0);
  const { failed = 0 } = props;
  const stalled = sum("stalled");
  return (
    <div class="figures">
      <Figure name="waiting">{count(sum("waiting"))}</Figure>
      <Figure name="running">{count(sum("running"))}</Figure>
      <Figure name="stalled" tone={stalled > 0 ? "bad" : undefined}>
        {count(stalled)}
      </Figure>
      <Figure name="scheduled">{count(sum("scheduled"))}</Figure>
      <Figure name="depend">{count(sum("depends"))}</Figure>
      <Figure name="failed" tone={failed > 0 ? "warned" : undefined} href={linkTo(["failures"])}>
        {count(failed)}
      </Figure>
      <Figure name="workers" href={linkTo(["workers"])}>
        {props.workers === undefined ? "–" : count(props.workers)}
      </Figure>
    </div>
  );
}

function FailurePanel(props: { groups: ReturnType<typeof useResource<Groups>> }) {
  return (
    <Panel title="Failures" aside={<a href={linkTo(["failures"])}>All groups</a>}>
      <Loaded resource={props.groups}>
        {({ groups: list }) =>
          list.length === 0 ? (
            <Empty title="No failed jobs" />
          ) : (
            <ul class="plain counted">
              {list.slice(0, 8).map(({ group, count: n, last }) => (
                <li key={group}>
                  <span>
                    <a href={linkTo(["failures", group])}>{group}</a>{" "}
                    <span class="quiet">
                      last <When at={last} />
                    </span>
                  </span>
                  <span class="number">{exact(n)}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function TrackedPanel() {
  const list = useResource("tracked first", (signal) => tracked(0, 8, signal), {
    on: ({ channel, event }) => channel === "tracked" || event === "audit" || event === "completed",
  });
  return (
    <Panel title="Tracked jobs" aside={<a href={linkTo(["tracked"])}>All tracked</a>}>
      <Loaded resource={list}>
        {({ jobs }) =>
          jobs.length === 0 ? (
            <Empty title="No tracked jobs">Track a job on its page to follow it from here.</Empty>
          ) : (
            <JobTable caption="Tracked jobs" jobs={jobs} without={["priority", "tags", "queue"]} />
          )
        }
      </Loaded>
    </Panel>
  );
}
