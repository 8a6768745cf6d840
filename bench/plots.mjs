/** Drawings as SVG, without anything from elsewhere: bars, and lines over a logarithmic scale. */

const COLOURS = ["#2563eb", "#9ca3af", "#d97706", "#059669", "#7c3aed", "#db2777"];
const FONT = 'font-family="system-ui, sans-serif" font-size="12"';
const INK = "#374151";
const escaped = (text) => String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const rounded = (value) => Math.round(value * 10) / 10;

function svg(width, height, title, body) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<rect width="${width}" height="${height}" fill="#ffffff"/>
<text x="16" y="22" ${FONT} font-weight="600" fill="#111827">${escaped(title)}</text>
${body.join("\n")}
</svg>
`;
}

const figure = (value) =>
  value >= 1000
    ? `${Math.round(value / 100) / 10}k`
    : value >= 10
      ? Math.round(value)
      : rounded(value);

/** Groups of bars; each group has its own scale, since only what stands beside each other compares. */
export function bars(title, groups) {
  const names = [...new Set(groups.flatMap(({ values }) => Object.keys(values)))];
  const wide = 460;
  const left = 240;
  let y = 40;
  const body = [];
  for (const { label, values } of groups) {
    const top = Math.max(...Object.values(values));
    body.push(`<text x="16" y="${y + 12}" ${FONT} fill="${INK}">${escaped(label)}</text>`);
    for (const [name, value] of Object.entries(values)) {
      const length = Math.max(2, (value / top) * wide);
      const colour = COLOURS[names.indexOf(name) % COLOURS.length];
      body.push(
        `<rect x="${left}" y="${y}" width="${rounded(length)}" height="14" rx="2" fill="${colour}"/>`,
        `<text x="${rounded(left + length + 6)}" y="${y + 12}" ${FONT} fill="${INK}">${figure(value)} ${escaped(name)}</text>`,
      );
      y += 18;
    }
    y += 10;
  }
  return svg(left + wide + 190, y + 6, title, body);
}

/** Lines over a logarithmic scale of sizes; each series begins at 1, so that growth is seen as such. */
export function lines(title, sizes, series, unit) {
  const box = { left: 50, top: 40, width: 480, height: 260 };
  const relative = Object.entries(series).map(([name, list]) => [
    name,
    list.map((v) => v / list[0]),
  ]);
  const most = Math.max(2, ...relative.flatMap(([, list]) => list)) * 1.1;
  const span = Math.log10(sizes.at(-1) / sizes[0]) || 1;
  const x = (size) => rounded(box.left + (Math.log10(size / sizes[0]) / span) * box.width);
  const y = (value) => rounded(box.top + box.height - (value / most) * box.height);
  const body = [];
  for (let tick = 0; tick <= most; tick += most > 6 ? Math.ceil(most / 6) : 0.5) {
    body.push(
      `<line x1="${box.left}" x2="${box.left + box.width}" y1="${y(tick)}" y2="${y(tick)}" stroke="#e5e7eb"/>`,
      `<text x="${box.left - 8}" y="${y(tick) + 4}" ${FONT} fill="${INK}" text-anchor="end">${tick}x</text>`,
    );
  }
  for (const size of sizes) {
    const label = size.toLocaleString("en");
    body.push(
      `<text x="${x(size)}" y="${box.top + box.height + 20}" ${FONT} fill="${INK}" text-anchor="middle">${label}</text>`,
    );
  }
  relative.forEach(([name, list], i) => {
    const points = list.map((value, at) => `${x(sizes[at])},${y(value)}`).join(" ");
    const colour = `hsl(${Math.round((i * 360) / relative.length)} 60% 42%)`;
    const key = box.top + 4 + i * 16;
    body.push(
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.6"/>`,
      `<rect x="${box.left + box.width + 20}" y="${key - 8}" width="10" height="10" fill="${colour}"/>`,
      `<text x="${box.left + box.width + 36}" y="${key + 1}" ${FONT} fill="${INK}">${escaped(name)} ${figure(series[name].at(-1))} ${unit}</text>`,
    );
  });
  const height = Math.max(box.top + box.height + 36, box.top + relative.length * 16 + 20);
  return svg(box.left + box.width + 190, height, title, body);
}
