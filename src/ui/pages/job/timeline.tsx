import { useNow } from "../../lib/clock.ts";
import { clockTime, dayName, fullTime, length } from "../../lib/format.ts";
import type { Job } from "../../lib/shapes.ts";
import { State } from "../../parts/state.tsx";
import { type Life, lifeOf, type Span } from "./spans.ts";

/** The width that times are drawn to; the picture is stretched to the room there is. */
const WIDTH = 1000;
const LANE = 22;
/** So narrow a stretch could not be seen. */
const LEAST = 3;
/** Lanes that are drawn: the queue, and the last workers. */
const MAX_LANES = 12;

/** The job's life, drawn to scale: a lane for where it waited, and one for each worker that had it. */
export function Timeline({ job }: { job: Job }) {
  const isOver = job.state === "complete";
  const now = useNow(isOver ? 10 : 1);
  const life = lifeOf(job, now);
  if (life.spans.length === 0)
    return <p class="quiet">Its history says nothing of where it was.</p>;
  const lanes = [...new Set(life.spans.map(laneOf))].slice(-MAX_LANES);
  return (
    <div class="timeline">
      {lanes.map((lane) => (
        <Lane
          key={lane}
          name={lane}
          life={life}
          spans={life.spans.filter((one) => laneOf(one) === lane)}
        />
      ))}
      <Axis life={life} />
      <details class="numbers">
        <summary>As a list</summary>
        <ol class="plain">
          {life.spans.map((span) => (
            <li key={`${span.kind} ${span.from} ${span.lane}`}>
              <State state={span.kind} /> {length(span.to - span.from)}{" "}
              {span.isRun ? `on ${span.lane}` : span.lane !== "" && `in ${span.lane}`}
              <span class="quiet">{span.end === "" ? " until now" : `, then ${span.end}`}</span>
            </li>
          ))}
        </ol>
      </details>
    </div>
  );
}

const laneOf = ({ isRun, lane }: Span) => (isRun ? `▶ ${lane}` : lane || "queue");

function Lane({ name, life, spans }: { name: string; life: Life; spans: readonly Span[] }) {
  const scale = WIDTH / (life.to - life.from);
  const isQueue = !name.startsWith("▶");
  const marks = isQueue ? life.marks : [];
  const words = spans.map(({ kind, from, to }) => `${kind} ${length(to - from)}`).join(", ");
  return (
    <div class="lane">
      <span class="lane-name" title={name}>
        {name}
      </span>
      <svg
        viewBox={`0 0 ${WIDTH} ${LANE}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${name}: ${words}`}
      >
        <rect class="lane-ground" width={WIDTH} height={LANE} />
        {spans.map((span) => (
          <rect
            key={`${span.kind} ${span.from}`}
            class={`span ${span.kind}`}
            x={Math.min((span.from - life.from) * scale, WIDTH - LEAST)}
            y="3"
            width={Math.max((span.to - span.from) * scale, LEAST)}
            height={LANE - 6}
          >
            <title>{titleOf(span)}</title>
          </rect>
        ))}
        {marks.map(({ at, what, isTrouble }) => (
          <line
            key={`${at} ${what}`}
            class={isTrouble ? "mark trouble-mark" : "mark"}
            x1={(at - life.from) * scale}
            x2={(at - life.from) * scale}
            y1="0"
            y2={LANE}
          >
            <title>{`${what}, ${fullTime(at)}`}</title>
          </line>
        ))}
      </svg>
    </div>
  );
}

const titleOf = ({ kind, from, to, end }: Span) =>
  `${kind} for ${length(to - from)} from ${fullTime(from)}${end === "" ? "" : `, then ${end}`}`;

function Axis({ life: { from, to } }: { life: Life }) {
  const isLong = to - from > 86_400;
  const text = (at: number) => (isLong ? `${dayName(at)} ${clockTime(at)}` : clockTime(at));
  return (
    <div class="lane axis">
      <span class="lane-name">
        {length(to - from)}
        <span class="wide"> in all</span>
      </span>
      <span class="axis-times">
        <span>{text(from)}</span>
        <span class="wide">{text((from + to) / 2)}</span>
        <span>{text(to)}</span>
      </span>
    </div>
  );
}
