import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { type BadCall, refusesEach, resent } from "./behaviour.ts";

const FACTS = '{"pid":17, "host":"é \\"quoted\\""}';
const LISTS = ["queues", '["q","r"]', "klasses", '["k"]'] as const;

everyEngine("worker.present", (open) => {
  test("returns how many jobs the worker holds", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    await bench.pop("q", "w", 2);
    await bench.pop("q", "other", 1);
    expect(await bench.call("worker.present", "w", 30, "{}")).toBe(2);
    await bench.call("timeout", "a");
    expect(await bench.call("worker.present", "w", 30, "{}")).toBe(1);
  });

  test("shows what a worker says of itself, its facts byte for byte, until its time is over", async () => {
    const bench = await open();
    await bench.call("worker.present", "w", 30, FACTS, ...LISTS);
    const present = { until: 1_000_030, queues: ["q", "r"], klasses: ["k"], facts: FACTS };
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 0, stalled: 0, present }]);
    bench.later(20);
    expect(await bench.call("worker.present", "w", 30, "{}")).toBe(0);
    const changed = { until: 1_000_050, queues: [], klasses: [], facts: "{}" };
    expect(await bench.json("workers")).toMatchObject([{ name: "w", present: changed }]);
    bench.later(30);
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 0, stalled: 0 }]);
  });

  test("lets tick forget a worker whose time is over, unless it holds jobs", async () => {
    const bench = await open();
    for (const worker of ["idle", "busy"]) await bench.call("worker.present", worker, 30, "{}");
    await bench.put("q", "a");
    await bench.pop("q", "busy");
    await bench.later(29).json("tick");
    expect(await bench.json("workers")).toHaveLength(2);
    await bench.later(1).json("tick");
    expect(await bench.json("workers")).toEqual([{ name: "busy", jobs: 1, stalled: 0 }]);
  });

  test("counts no longer with no time, and not for one who is taken off the list", async () => {
    const bench = await open();
    for (const worker of ["v", "w"]) await bench.call("worker.present", worker, 30, "{}");
    await bench.call("worker.present", "w", 0, "{}");
    await bench.call("worker.deregister", "v");
    expect(await bench.json("workers")).toEqual([{ name: "w", jobs: 0, stalled: 0 }]);
    await bench.pop("q", "v");
    expect((await bench.json("workers")).every((one: object) => !("present" in one))).toBe(true);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await resent(bench, "worker.present", "w", 30, FACTS);
    expect(await bench.json("workers")).toHaveLength(1);
  });

  const BAD: BadCall[] = [
    ["no worker", [], 'Arg "worker" missing'],
    ["no time", ["w"], 'Arg "seconds" missing'],
    ["no facts", ["w", 5], 'Arg "facts" missing'],
    ["a bad time", ["w", "x", "{}"], 'Arg "seconds" not a number: x'],
    ["a bad list", ["w", 5, "{}", "queues", "q"], /^Arg "queues" not JSON/],
    ["too many facts", ["w", 5, "f".repeat(8193)], 'Arg "facts" is longer than 8192 bytes in all'],
    [
      "too many klasses",
      ["w", 5, "{}", "klasses", JSON.stringify(Array(50).fill("k".repeat(200)))],
      'Arg "klasses" is longer than 8192 bytes in all',
    ],
  ];

  test("refuses arguments that cannot be", async () => {
    const bench = await open();
    await refusesEach(bench, "worker.present", BAD);
  });
});
