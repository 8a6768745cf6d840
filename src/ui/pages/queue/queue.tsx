import { config, queue as counts } from "../../lib/calls.ts";
import { filterText } from "../../lib/filter.ts";
import { count, exact } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { linkTo, queueLink, searchLink, usePlace } from "../../lib/route.ts";
import { type Counts, type LiveEvent, STATES, type State } from "../../lib/shapes.ts";
import { Empty, Loaded, Page, Panel } from "../../parts/common.tsx";
import { JobList } from "../../parts/job-list.tsx";
import { Shape, State as StateMark } from "../../parts/state.tsx";
import { When } from "../../parts/when.tsx";
import { QueueActions } from "./actions.tsx";
import { RecurringIn } from "./recurring-in.tsx";
import { QueueSettings } from "./settings.tsx";
import { QueueTimes } from "./times.tsx";

type Tab = State | "recurring";
const TABS: readonly Tab[] = [...STATES, "recurring"];

/** Everything about one queue. */
export function QueuePage({ name }: { name: string }) {
  const { query } = usePlace();
  const asked = query.get("state") as Tab | null;
  const tab = asked !== null && TABS.includes(asked) ? asked : "waiting";
  const concerns = ({ queue, event }: LiveEvent) => queue === name || event === "audit";
  const now = useResource(`queue ${name}`, (signal) => counts(name, signal), {
    on: concerns,
    every: 3000,
  });
  const settings = useResource("config", config, {
    on: ({ event }) => event.startsWith("config_") || event === "audit",
    every: 30_000,
  });
  return (
    <Page
      title={name}
      about={now.value !== undefined && <About counts={now.value} />}
      actions={now.value !== undefined && <QueueActions counts={now.value} refresh={now.refresh} />}
    >
      <Loaded resource={now}>
        {(value) => (
          <>
            <StateTabs counts={value} tab={tab} />
            {tab === "recurring" ? (
              <RecurringIn queue={name} />
            ) : (
              <StateList counts={value} state={tab} concerns={concerns} />
            )}
          </>
        )}
      </Loaded>
      <QueueTimes name={name} counts={now.value} />
      <Panel title="Settings" aside={<a href={linkTo(["config"])}>All settings</a>}>
        <Loaded resource={settings}>
          {(all) => <QueueSettings queue={name} all={all} refresh={settings.refresh} />}
        </Loaded>
      </Panel>
    </Page>
  );
}

function About({
  counts: { paused, paused_reason: why, paused_until: until },
}: {
  counts: Counts;
}) {
  if (!paused) return <span>A queue</span>;
  return (
    <span>
      <StateMark state="paused" /> {why ?? "without a reason given"}
      {until !== null && (
        <>
          , until <When at={until} />
        </>
      )}
    </span>
  );
}

function StateTabs({ counts: all, tab }: { counts: Counts; tab: Tab }) {
  return (
    <nav class="tabs" aria-label="Jobs by state">
      {TABS.map((state) => (
        <a
          key={state}
          class={state}
          href={queueLink(all.name, { state })}
          aria-current={state === tab ? "page" : undefined}
        >
          <Shape of={state} />
          {state}
          {state in all && <span class="number">{count(all[state as "waiting"])}</span>}
        </a>
      ))}
    </nav>
  );
}

const EMPTY: Record<State, string> = {
  waiting: "Nothing waits here",
  running: "Nothing runs here",
  stalled: "No job has lost its worker",
  scheduled: "Nothing is scheduled",
  depends: "Nothing waits for other jobs",
  failed: "No job of this queue is failed",
  complete: "No completed job of this queue is kept",
};

function StateList(props: {
  counts: Counts;
  state: State;
  concerns: (event: LiveEvent) => boolean;
}) {
  const { name } = props.counts;
  const { state } = props;
  const total = state in props.counts ? props.counts[state as "waiting"] : undefined;
  return (
    <section aria-label={`Jobs that are ${state}`}>
      <JobList
        name={`${name} ${state}`}
        criteria={{ queue: name, state }}
        about={`${state} in ${name}`}
        without={["state", "queue"]}
        total={total}
        usual={state === "waiting" || state === "scheduled" ? "oldest" : "newest"}
        on={props.concerns}
        empty={
          <Empty title={EMPTY[state]}>
            <a href={searchLink(filterText({ queue: name }))}>Search all jobs of {name}</a>, or look
            at another state above
            {total !== undefined && total > 0 && ` (${exact(total)} just left)`}.
          </Empty>
        }
      />
    </section>
  );
}
