import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { clockTime } from "../lib/format.ts";
import { Scroll } from "./scroll.tsx";

/** One curve, or one set of bars. */
export interface Series {
  name: string;
  /** A custom property of the style sheet. */
  color: string;
  values: readonly (number | null)[];
  isBars?: boolean;
}

interface Props {
  label: string;
  /** Seconds since 1970, or any other number if `xText` says how it reads. */
  x: readonly number[];
  series: readonly Series[];
  xText?: (x: number) => string;
  yText: (y: number) => string;
  height?: number;
}

const cssColor = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Browsers give a colour of `light-dark()` only on something that has it. */
function resolved(name: string, on: HTMLElement): string {
  on.style.color = `var(${name})`;
  const { color } = getComputedStyle(on);
  on.style.color = "";
  return color === "" ? cssColor(name) : color;
}

/** Curves over time. The table under it has the same for those who do not see them. */
export function Chart(props: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const shape = props.series.map(({ name }) => name).join();
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = frame.current!;
    const leaving = new AbortController();
    void draw(element, latest, plot, leaving.signal);
    return () => {
      leaving.abort();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);
  useEffect(() => {
    plot.current?.setData(dataOf(props));
  });
  return (
    <figure class="chart">
      <figcaption>
        {props.label}
        <span class="legend">
          {props.series.map(({ name, color }) => (
            <span key={name} class={`key ${color.slice(2)}`}>
              {name}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={frame} class="canvas" aria-hidden="true" />
      <Numbers {...props} />
    </figure>
  );
}

const dataOf = ({ x, series }: Props) =>
  [[...x], ...series.map(({ values }) => [...values])] as uPlot.AlignedData;

async function draw(
  element: HTMLDivElement,
  latest: { current: Props },
  plot: { current: uPlot | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { default: UPlot } = await import("uplot");
  if (signal.aborted) return;
  const make = () => {
    plot.current?.destroy();
    const options = optionsFor(latest.current, element, UPlot);
    plot.current = new UPlot(options, dataOf(latest.current), element);
  };
  make();
  const resize = new ResizeObserver(() => {
    const { height = 160 } = latest.current;
    plot.current?.setSize({ width: element.clientWidth, height });
  });
  resize.observe(element);
  signal.addEventListener("abort", () => resize.disconnect());
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", make, { signal });
  document.addEventListener("qless-theme", make, { signal });
}

const minuteOf = (at: number) => clockTime(at).slice(0, 5);

function optionsFor(props: Props, on: HTMLElement, UPlot: typeof uPlot): uPlot.Options {
  const { xText, yText, height = 160 } = props;
  const stroke = resolved("--ink-2", on);
  const grid = { stroke: resolved("--line", on), width: 1 };
  const font = "11px system-ui, sans-serif";
  const axis = { stroke, font, grid, ticks: { ...grid, size: 4 } };
  const bars = UPlot.paths.bars!({ size: [0.8, 60] });
  return {
    width: Math.max(200, on.clientWidth),
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { x: { time: xText === undefined }, y: { range: (_, __, most) => [0, most || 1] } },
    axes: [
      { ...axis, values: (_, all) => all.map(xText ?? minuteOf) },
      { ...axis, size: 56, values: (_, all) => all.map(yText) },
    ],
    series: [
      {},
      ...props.series.map(({ name, color, isBars }) => ({
        label: name,
        stroke: resolved(color, on),
        width: 1.5,
        points: { show: false },
        ...(isBars === true && { paths: bars, fill: resolved(color, on) }),
      })),
    ],
  };
}

/** Drawn when somebody opens it. */
function Numbers(props: Props) {
  const [isOpen, open] = useState(false);
  return (
    <details class="numbers" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>As numbers</summary>
      {isOpen && <NumberTable {...props} />}
    </details>
  );
}

function NumberTable({ x, series, xText, yText, label }: Props) {
  const text = xText ?? ((at: number) => new Date(at * 1000).toLocaleString());
  const from = Math.max(0, x.length - 60);
  return (
    <Scroll class="table-frame" label={`${label}, as numbers`}>
      <table>
        <thead>
          <tr>
            <th scope="col">At</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {x.slice(from).map((at, i) => (
            <tr key={at}>
              <td>{text(at)}</td>
              {series.map(({ name, values }) => (
                <td key={name} class="number">
                  {values[from + i] == null ? "–" : yText(values[from + i]!)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
