import { plural } from "../../lib/format.ts";
import { useResource } from "../../lib/resource.ts";
import { jobLink } from "../../lib/route.ts";
import type { Job } from "../../lib/shapes.ts";
import { Panel } from "../../parts/common.tsx";
import { Scroll } from "../../parts/scroll.tsx";
import { type Dependencies, type GraphNode, graphOf } from "./graph-layout.ts";

const WIDTH = 190;
const HEIGHT = 44;
const GAP_X = 60;
const GAP_Y = 14;

/** What the job waits for and what waits for it, drawn from left to right. */
export function Graph({ job }: { job: Job }) {
  const { dependencies, dependents, jid } = job;
  const hasAny = dependencies.length + dependents.length > 0;
  const key = `graph ${jid} ${dependencies.length} ${dependents.length} ${job.state}`;
  const graph = useResource(key, (signal) => graphOf(job, signal), {
    every: hasAny ? 5000 : 600_000,
    on: (event) => event.event === "completed" || event.event === "failed",
  });
  if (!hasAny || graph.value === undefined) return null;
  const { nodes, more } = graph.value;
  const waiting = nodes.filter(({ level }) => level < 0).length;
  const aside = `waits for ${plural(waiting, "job")}${more > 0 ? `; ${more} more are not drawn` : ""}`;
  return (
    <Panel title="Dependencies" aside={aside}>
      <Picture graph={graph.value} here={jid} />
    </Panel>
  );
}

function Picture({ graph: { nodes, edges }, here }: { graph: Dependencies; here: string }) {
  const least = Math.min(...nodes.map(({ level }) => level));
  const most = Math.max(...nodes.map(({ level }) => level));
  const rows = Math.max(...nodes.map(({ row }) => row)) + 1;
  const size = {
    width: (most - least + 1) * (WIDTH + GAP_X) - GAP_X + 4,
    height: rows * (HEIGHT + GAP_Y),
  };
  const counts = new Map<number, number>();
  for (const { level } of nodes) counts.set(level, (counts.get(level) ?? 0) + 1);
  const place = ({ level, row }: GraphNode) => ({
    x: 2 + (level - least) * (WIDTH + GAP_X),
    y: 2 + row * (HEIGHT + GAP_Y) + ((rows - counts.get(level)!) * (HEIGHT + GAP_Y)) / 2,
  });
  const placed = new Map(nodes.map((node) => [node.jid, place(node)]));
  return (
    <Scroll class="graph" label="Dependencies, drawn">
      <svg viewBox={`0 0 ${size.width} ${size.height}`} width={size.width} height={size.height}>
        <title>Dependencies from left to right</title>
        {edges.map(([from, to]) => (
          <Edge key={`${from} ${to}`} from={placed.get(from)} to={placed.get(to)} />
        ))}
        {nodes.map((node) => (
          <Box key={node.jid} node={node} {...placed.get(node.jid)!} isHere={node.jid === here} />
        ))}
      </svg>
    </Scroll>
  );
}

type Point = { x: number; y: number };

function Edge({ from, to }: { from: Point | undefined; to: Point | undefined }) {
  if (from === undefined || to === undefined) return null;
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return <path class="edge" d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} />;
}

const short = (text: string, most: number) =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text;

function Box(props: { node: GraphNode; x: number; y: number; isHere: boolean }) {
  const { node, x, y, isHere } = props;
  const { jid, klass, state } = node;
  return (
    <a href={jobLink(jid)} aria-current={isHere ? "true" : undefined}>
      <rect
        class={`box ${state} ${isHere ? "here" : ""}`}
        x={x}
        y={y}
        width={WIDTH}
        height={HEIGHT}
        rx="6"
      />
      <rect class={`box-state ${state}`} x={x} y={y} width="5" height={HEIGHT} rx="2" />
      <text class="box-jid" x={x + 14} y={y + 18}>
        {short(jid, 22)}
      </text>
      <text class="box-klass" x={x + 14} y={y + 34}>
        {short(`${state} · ${klass}`, 28)}
      </text>
    </a>
  );
}
