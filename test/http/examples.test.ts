import { expect, test } from "vitest";
import { read } from "../sources.ts";
import { everyServer } from "./support.ts";

const RULES = read("examples/prometheus-alerts.yml");
const DASHBOARD = read("examples/grafana-dashboard.json");

everyServer("the examples for operators", (open) => {
  test("ask for nothing that the metrics do not tell", async () => {
    const bench = await open();
    await bench.client.put("q", 1);
    await bench.get("/metrics");
    const { text } = await bench.get("/metrics");
    const told = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const asked = [...`${RULES}${DASHBOARD}`.matchAll(/qless_[a-z_]+/g)].map(([name]) => name);
    const wrong = asked.filter(
      (name) => !told.has(name) && !told.has(name.replace(/_bucket$/, "")),
    );
    expect(wrong).toEqual([]);
    expect(asked.length).toBeGreaterThan(20);
  });
});

test("the dashboard is one, and its panels do not lie over each other", () => {
  const { panels } = JSON.parse(DASHBOARD) as {
    panels: { id: number; gridPos: { x: number; y: number; w: number } }[];
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(panels.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
});
