import { get, pathTo } from "../../lib/api.ts";
import { jobs, search } from "../../lib/calls.ts";
import { now } from "../../lib/clock.ts";
import { count, exact } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { linkTo } from "../../lib/route.ts";
import { may } from "../../lib/session.ts";
import type { Job } from "../../lib/shapes.ts";
import { Chart } from "../../parts/chart.tsx";
import { Empty, Figure, Loaded, Page, Panel } from "../../parts/common.tsx";
import { JobList } from "../../parts/job-list.tsx";
import { When } from "../../parts/when.tsx";
import { cancelGroup, retryGroup } from "./failures.tsx";
import { perHour } from "./trend.ts";
import { TryOne } from "./try-one.tsx";

/** Failures that the trend and the messages are taken from: the last ones. */
const SAMPLE = 300;
const HOURS = 24;

/** When a group was first and last seen, among the jobs that are failed now. */
interface Seen {
  first: number | undefined;
  last: number | undefined;
}

async function load(group: string, signal: AbortSignal) {
  type Shape = { total: number; jids: string[] };
  const path = `/api/v1${pathTo("/failures/:group", { group })}`;
  const { total, jids } = await get<Shape>(path, { count: SAMPLE }, signal);
  const oldest = search({ group, order: "oldest" }, "", 1, signal);
  const [sample, found] = await Promise.all([jobs(jids, signal), oldest]);
  const seen: Seen = { first: found.jobs[0]?.failure.when, last: sample[0]?.failure.when };
  return { total, sample, seen };
}

/** One group of failures: what went wrong when, and what to do about it. */
export function FailureGroup({ group }: { group: string }) {
  const told = useResource(`group ${group}`, (signal) => load(group, signal), {
    on: (event) => event.group === group || event.event === "audit" || event.event === "bulk",
    every: 8000,
  });
  const { refresh } = told;
  return (
    <Page
      title={group}
      about={<a href={linkTo(["failures"])}>A group of failures</a>}
      actions={may("admin") && <GroupActions group={group} refresh={refresh} />}
    >
      <Loaded resource={told}>
        {({ total, sample, seen }) => (
          <>
            <Figures total={total} seen={seen} />
            {may("admin") && total > 0 && (
              <TryOne group={group} job={sample[0]} total={total} refresh={refresh} />
            )}
            {sample.length > 0 && <Details sample={sample} total={total} />}
          </>
        )}
      </Loaded>
      <Panel title="Jobs">
        <JobList
          name={`group ${group}`}
          criteria={{ group, state: "failed" }}
          about={`failed in ${group}`}
          without={["state"]}
          total={told.value?.total}
          empty={
            <Empty title="No job is failed in this group">
              They were retried or canceled. <a href={linkTo(["failures"])}>Other groups</a>
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}

function GroupActions({ group, refresh }: { group: string; refresh: () => void }) {
  return (
    <>
      <button type="button" class="primary" onClick={() => retryGroup(group, refresh)}>
        Retry all
      </button>
      <button type="button" class="danger" onClick={() => cancelGroup(group, refresh)}>
        Cancel all
      </button>
    </>
  );
}

function Figures({ total, seen }: { total: number; seen: Seen }) {
  return (
    <div class="figures">
      <Figure name="failed now" tone={total > 0 ? "warned" : undefined}>
        {exact(total)}
      </Figure>
      <Figure name="first seen">
        <When at={seen.first} />
      </Figure>
      <Figure name="last seen">
        <When at={seen.last} />
      </Figure>
    </div>
  );
}

function Details({ sample, total }: { sample: readonly Job[]; total: number }) {
  const moments = sample.map(({ failure }) => failure.when ?? 0);
  const bars = perHour(moments, now(), HOURS);
  const hour = Math.floor(now() / 3600) * 3600;
  return (
    <div class="side-by-side">
      <Panel
        title="The last day"
        aside={total > sample.length ? `the last ${count(sample.length)}` : ""}
      >
        <Chart
          label="Failures an hour"
          x={bars.map((_, i) => hour - (HOURS - 1 - i) * 3600)}
          series={[{ name: "failed", color: "--red", values: bars, isBars: true }]}
          yText={(y) => count(y)}
        />
      </Panel>
      <Panel title="Messages">
        <ul class="plain counted">
          {messagesIn(sample).map(([message, n]) => (
            <li key={message}>
              <code class="message">{message}</code>
              <span class="number">{exact(n)}</span>
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

/** First lines of messages, the most frequent first; numbers in them do not make another message. */
function messagesIn(sample: readonly Job[]): [message: string, count: number][] {
  const counts = new Map<string, { text: string; n: number }>();
  for (const { failure } of sample) {
    const text = failure.message?.split("\n", 1)[0]?.slice(0, 300) ?? "";
    const key = text.replaceAll(/\d+/g, "0");
    const known = counts.get(key) ?? { text, n: 0 };
    known.n += 1;
    counts.set(key, known);
  }
  const all = [...counts.values()].toSorted((a, b) => b.n - a.n).slice(0, 8);
  return all.map(({ text, n }) => [text, n]);
}
