const WIDTH = 96;
const HEIGHT = 22;

/** How a number went, small enough for a row of a table; the words are for those who do not see it. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length < 2) {
    return (
      <span class="quiet spark-none" title="It is drawn once there are two looks to compare">
        …
      </span>
    );
  }
  const most = Math.max(...values, 1);
  const least = Math.min(...values, most === 1 ? 0 : most);
  const span = Math.max(most - Math.min(least, most * 0.8), 1);
  const x = (i: number) => (i / (values.length - 1)) * WIDTH;
  const y = (value: number) => HEIGHT - 2 - ((value - (most - span)) / span) * (HEIGHT - 4);
  const points = values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      <polygon class="spark-area" points={`0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} />
      <polyline class="spark-line" points={points} />
    </svg>
  );
}
