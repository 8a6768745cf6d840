import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { badName, LONG, refusesEach, unchanged } from "../told.ts";

const DEFAULTS = {
  application: "qless",
  "grace-period": 10,
  heartbeat: 60,
  "histogram-history": 7,
  "jobs-history": 604_800,
  "jobs-history-count": 50_000,
  "max-job-history": 100,
  "max-worker-age": 86_400,
  "priority-order": "lowest-first",
  "stats-history": 30,
};

everyEngine("config.get", (open) => {
  test("tells all settings, those that nobody has set included", async () => {
    const bench = await open();
    expect(await bench.json("config.get")).toEqual(DEFAULTS);
    expect(await bench.json("config.get", "")).toEqual(DEFAULTS);
  });

  test("tells one setting as text, whether it was set or not", async () => {
    const bench = await open();
    for (const [option, value] of Object.entries(DEFAULTS)) {
      expect(await bench.call("config.get", option)).toBe(String(value));
    }
    await bench.call("config.set", "heartbeat", 30);
    expect(await bench.call("config.get", "heartbeat")).toBe("30");
  });

  test("tells numbers as numbers and the rest as texts, whoever set them", async () => {
    const bench = await open();
    await bench.call("config.set", "heartbeat", 30.5);
    await bench.call("config.set", "q-max-concurrency", 2);
    await bench.call("config.set", "heartbeat-q", "1e2");
    await bench.call("config.set", "q-backoff", "fixed 30");
    await bench.call("config.set", "colour", "12");
    expect(await bench.json("config.get")).toEqual({
      ...DEFAULTS,
      heartbeat: 30.5,
      "q-max-concurrency": 2,
      "heartbeat-q": 100,
      "q-backoff": "fixed 30",
      colour: "12",
    });
  });

  test("tells nothing of a setting that does not exist", async () => {
    const bench = await open();
    for (const option of ["none", "constructor", "q-heartbeat", "__proto__"]) {
      expect(await bench.call("config.get", option)).toBe(false);
    }
  });

  test("writes nothing", async () => {
    const bench = await open();
    await unchanged(bench, () => bench.call("config.get", "none"));
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await refusesEach(bench, "config.get", [
      [["a\nb"], badName("option")],
      [[LONG], badName("option")],
      [["heartbeat", "x"], /^Odd number of additional args/],
      [["heartbeat", "queue", "q"], "Unknown option queue: it takes none"],
    ]);
  });
});
