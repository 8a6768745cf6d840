import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";
import { badName, heard, LONG, missing, refusesEach, unchanged } from "../told.ts";

everyEngine("config.unset", (open) => {
  /** How long a lock of the queue lasts. */
  async function heartbeatOf(bench: Bench, queue: string): Promise<number> {
    await bench.put(queue, `in-${queue}`);
    const [job] = await bench.pop(queue, "w");
    await bench.call("cancel", job!.jid);
    return job!.expires - bench.now;
  }

  test("brings a setting back to its default", async () => {
    const bench = await open();
    await bench.call("config.set", "heartbeat", 30);
    expect(await bench.call("config.unset", "heartbeat")).toBe(false);
    expect(await bench.call("config.get", "heartbeat")).toBe("60");
    expect(await heartbeatOf(bench, "q")).toBe(60);
  });

  test("removes a setting that has no default", async () => {
    const bench = await open();
    await bench.call("config.set", "colour", "red");
    await bench.call("config.unset", "colour");
    expect(await bench.call("config.get", "colour")).toBe(false);
    expect(await bench.json("config.get")).not.toHaveProperty("colour");
  });

  test("lets the setting of the namespace count again for a queue", async () => {
    const bench = await open();
    await bench.call("config.set", "heartbeat", 30);
    await bench.call("config.set", "q-heartbeat", 20);
    expect(await heartbeatOf(bench, "q")).toBe(20);
    await bench.call("config.unset", "q-heartbeat");
    expect(await heartbeatOf(bench, "q")).toBe(30);
  });

  test("leaves a queue its other settings", async () => {
    const bench = await open();
    await bench.call("config.set", "q-heartbeat", 20);
    await bench.call("config.set", "heartbeat-q", 25);
    await bench.call("config.set", "q-retries", 1);
    await bench.call("config.unset", "q-heartbeat");
    expect(await heartbeatOf(bench, "q")).toBe(25);
    await bench.call("config.unset", "heartbeat-q");
    expect(await heartbeatOf(bench, "q")).toBe(60);
    await bench.put("q", "a");
    expect((await bench.json("get", "a")).retries).toBe(1);
    await bench.call("config.unset", "q-retries");
    await bench.put("q", "b");
    expect((await bench.json("get", "b")).retries).toBe(5);
  });

  test("ends a limit on how many jobs run at once", async () => {
    const bench = await open();
    await bench.call("config.set", "q-max-concurrency", 1);
    for (const jid of ["a", "b", "c"]) await bench.put("q", jid);
    expect(await bench.pop("q", "w", 10)).toHaveLength(1);
    await bench.call("config.unset", "q-max-concurrency");
    expect(await bench.pop("q", "w", 10)).toHaveLength(2);
  });

  test("changes nothing for a setting that nobody has set, but is announced", async () => {
    const bench = await open();
    await unchanged(bench, () => bench.call("config.unset", "none"));
    const events = await heard(bench, () => bench.call("config.unset", "heartbeat"));
    expect(events).toEqual([["log", { event: "config_unset", option: "heartbeat" }]]);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await bench.call("config.set", "heartbeat", 30);
    await refusesEach(bench, "config.unset", [
      [[], missing("option")],
      [[""], badName("option")],
      [["a\nb"], badName("option")],
      [[LONG], badName("option")],
      [["heartbeat", "x"], /^Odd number of additional args/],
    ]);
  });
});
