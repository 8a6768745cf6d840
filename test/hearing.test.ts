import { expect, test } from "vitest";
import type { Announcement } from "../src/engine.ts";
import { everyEngine } from "./engines.ts";

everyEngine("a worker's channel", (open) => {
  test("tells what the worker is told, and nothing else", async () => {
    const bench = await open();
    const heard: Announcement[] = [];
    const end = await bench.engine.subscribe((one) => heard.push(one), { worker: "w" });
    const all = await bench.hearing(async () => {
      for (const worker of ["v", "w"]) await bench.call("wait", worker, 60, `of-${worker}`);
      for (const worker of ["v", "w"]) await bench.put(`of-${worker}`, `job-${worker}`);
      await bench.pop("of-w", "w");
      await bench.call("timeout", "job-w");
    });
    expect(all.length).toBeGreaterThan(heard.length);
    expect(heard.map(({ channel }) => channel)).toEqual(["w:w", "w:w"]);
    expect(heard.map(({ message }) => JSON.parse(message))).toEqual([
      { event: "wake", queue: "of-w", worker: "w" },
      { event: "lock_lost", jid: "job-w", worker: "w" },
    ]);
    await end();
    await bench.hearing(() => bench.call("wait", "w", 60, "of-w"));
    await bench.hearing(() => bench.put("of-w", "another"));
    expect(heard).toHaveLength(2);
  });
});
