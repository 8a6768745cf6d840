import { useState } from "preact/hooks";
import { history, statistics } from "../../lib/calls.ts";
import { now } from "../../lib/clock.ts";
import { count, dayName, length, rate } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { flowOf, sample, samplesOf, seed, throughput } from "../../lib/samples.ts";
import type { Counts, Statistics, Times } from "../../lib/shapes.ts";
import type { History, Steps } from "../../lib/steps.ts";
import { Chart } from "../../parts/chart.tsx";
import { Empty, Figure, Loaded, Panel } from "../../parts/common.tsx";
import { barsOf } from "./histogram.ts";

const DAYS = 14;
const DAY_S = 86_400;

/** How long jobs wait and run: today, and in the days before. */
export function QueueTimes({ name, counts }: { name: string; counts: Counts | undefined }) {
  const [back, setBack] = useState(0);
  const today = useResource(
    `stats ${name} ${back}`,
    async (signal) => {
      const day = back === 0 ? undefined : Math.floor(now()) - back * DAY_S;
      const [told, past] = await Promise.all([
        statistics(name, day, signal),
        back > 0 || samplesOf(name).length > 0 ? undefined : history(name, "10m", signal),
      ]);
      if (back === 0 && counts !== undefined) {
        if (past !== undefined) seed(past, past.history, counts, told);
        sample([counts], new Map([[name, told]]));
      }
      return told;
    },
    { every: back === 0 ? 4000 : 60_000, on: ({ queue }) => back === 0 && queue === name },
  );
  const lately = useResource(`lately ${name}`, (signal) => history(name, "24h", signal), {
    every: 60_000,
  });
  const days = useResource(`days ${name}`, (signal) => loadDays(name, signal), { every: 60_000 });
  return (
    <>
      <Panel
        title="Times"
        aside={
          <label>
            Day{" "}
            <select value={back} onInput={(event) => setBack(Number(event.currentTarget.value))}>
              {Array.from({ length: DAYS }, (_, i) => (
                <option key={i} value={i}>
                  {i === 0 ? "today" : dayName(now() - i * DAY_S)}
                </option>
              ))}
            </select>
          </label>
        }
      >
        <Loaded resource={today}>{(told) => <Day told={told} name={name} />}</Loaded>
      </Panel>
      <Panel title="The last 24 hours">
        <Loaded resource={lately}>{(past) => <LastDay past={past} />}</Loaded>
      </Panel>
      <Panel title="The last two weeks">
        <Loaded resource={days}>{(list) => <Days days={list} />}</Loaded>
      </Panel>
    </>
  );
}

async function loadDays(name: string, signal: AbortSignal) {
  const today = Math.floor(now());
  const moments = Array.from({ length: DAYS }, (_, i) => today - (DAYS - 1 - i) * DAY_S);
  const told = moments.map((day) => statistics(name, day, signal));
  const all = await Promise.all(told);
  return moments.map((day, i) => ({ day: Math.floor(day / DAY_S) * DAY_S, ...all[i]! }));
}

function Day({ told, name }: { told: Statistics; name: string }) {
  const flow = flowOf(name);
  const points = throughput(samplesOf(name));
  return (
    <>
      <div class="figures">
        <Figure name="came, last minute">{rate(flow.in)}</Figure>
        <Figure name="done, last minute">{rate(flow.out)}</Figure>
        <Figure name="done that day">{count(told.run.count)}</Figure>
        <Figure name="failed that day">{count(told.failures)}</Figure>
        <Figure name="retries that day">{count(told.retries)}</Figure>
      </div>
      <div class="side-by-side">
        <Lengths title="How long jobs waited" times={told.wait} color="--blue" />
        <Lengths title="How long jobs ran" times={told.run} color="--green" />
      </div>
      {points.length > 2 && (
        <Chart
          label="Done a second, in the last minutes"
          x={points.map(({ at }) => at)}
          series={[{ name: "done", color: "--green", values: points.map((one) => one.rate) }]}
          yText={(y) => rate(y)}
          height={120}
        />
      )}
    </>
  );
}

/** Minutes that one point of the chart stands for. */
const POINT = 10;

/** How many waited and ended, as this server has seen it since it was started. */
function LastDay({ past: { begin, step, history: told } }: { past: Steps & { history: History } }) {
  if (told.waiting.filter((one) => one !== null).length < 2) {
    return (
      <Empty title="Nothing is known yet">
        The server notes once a minute how a queue is, from when it is started.
      </Empty>
    );
  }
  const starts = Array.from({ length: told.waiting.length / POINT }, (_, i) => i * POINT);
  const known = (list: (number | null)[], from: number) =>
    list.slice(from, from + POINT).filter((one) => one !== null);
  const most = (list: (number | null)[]) =>
    starts.map((from) => {
      const some = known(list, from);
      return some.length === 0 ? null : Math.max(...some);
    });
  const sum = (list: (number | null)[]) =>
    starts.map((from) => {
      const some = known(list, from);
      return some.length === 0 ? null : some.reduce((total, one) => total + one, 0);
    });
  const x = starts.map((from) => begin + from * step);
  return (
    <div class="side-by-side">
      <Chart
        label="Waiting, at most"
        x={x}
        yText={(y) => count(y)}
        series={[{ name: "waiting", color: "--blue", values: most(told.waiting) }]}
      />
      <Chart
        label="Done and failed in ten minutes"
        x={x}
        yText={(y) => count(y)}
        series={[
          { name: "done", color: "--green", values: sum(told.completed) },
          { name: "failed", color: "--red", values: sum(told.failed) },
        ]}
      />
    </div>
  );
}

function Lengths({ title, times, color }: { title: string; times: Times; color: string }) {
  const bars = barsOf(times.histogram);
  if (times.count === 0) {
    return (
      <div>
        <h3>{title}</h3>
        <p class="quiet">None did that day.</p>
      </div>
    );
  }
  return (
    <div>
      <Chart
        label={title}
        x={bars.map((_, i) => i)}
        series={[{ name: "jobs", color, values: bars.map(({ jobs }) => jobs), isBars: true }]}
        xText={(i) => bars[i]?.name ?? ""}
        yText={(y) => count(y)}
      />
      <dl class="pairs">
        {(["mean", "p50", "p95", "p99"] as const).map((which) => (
          <div key={which}>
            <dt>{which}</dt>
            <dd>{length(times[which])}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Days({ days }: { days: ({ day: number } & Statistics)[] }) {
  const x = days.map(({ day }) => day);
  const text = (at: number) => dayName(at);
  const times = (kind: "wait" | "run", color: string) =>
    (["p50", "p95", "p99"] as const).map((which, i) => ({
      name: which,
      color: ["--ink-3", color, "--red"][i]!,
      // Histograms are kept for fewer days than counts, and without one there is no percentile.
      values: days.map(({ [kind]: { histogram, [which]: value } }) =>
        histogram.some((jobs) => jobs > 0) ? value : null,
      ),
    }));
  return (
    <div class="three">
      <Chart
        label="Done and failed a day"
        x={x}
        xText={text}
        yText={(y) => count(y)}
        series={[
          {
            name: "done",
            color: "--green",
            values: days.map(({ run }) => run.count),
            isBars: true,
          },
          { name: "failed", color: "--red", values: days.map(({ failures }) => failures) },
        ]}
      />
      <Chart label="Wait" x={x} xText={text} yText={length} series={times("wait", "--blue")} />
      <Chart label="Run" x={x} xText={text} yText={length} series={times("run", "--green")} />
    </div>
  );
}
