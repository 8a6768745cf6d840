import { expect, test } from "vitest";
import { everyEngine, jidsOf } from "../engines.ts";

const BACK = -300;

everyEngine("tick after the clock was set back", (open) => {
  test("lets the jobs of a dead worker go after a heartbeat and the grace", async () => {
    const bench = await open();
    for (const queue of ["q", "r"]) await bench.put(queue, `in-${queue}`);
    await bench.call("config.set", "r-heartbeat", 20);
    await bench.pop("q", "dead");
    await bench.pop("r", "dead");
    await bench.json("tick");
    expect(await bench.later(BACK).json("tick")).toMatchObject({ more: false });
    expect(await bench.json("workers", "dead")).toEqual({ jobs: ["in-q", "in-r"], stalled: [] });
    await bench.later(20).json("tick");
    await bench.later(10).json("tick");
    expect(jidsOf(await bench.pop("r", "w"))).toEqual(["in-r"]);
    await bench.later(30).json("tick");
    expect(await bench.pop("q", "w")).toEqual([]);
    await bench.later(10).json("tick");
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["in-q"]);
  });

  test("keeps the locks of living workers, which have a whole heartbeat left", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const [job] = await bench.pop("q", "w");
    await bench.json("tick");
    await bench.later(BACK).json("tick");
    await bench.later(59).json("tick");
    const expires = await bench.call("heartbeat", "a", "w", "{}", "lease", job!.lease);
    expect(expires).toBe(bench.now + 60);
    await bench.json("tick");
    expect(await bench.call("complete", "a", "w", "q", "{}", "lease", job!.lease)).toBe("complete");
  });

  test("shortens the grace of a lock that is over, and no lock beyond its cutoff", async () => {
    const bench = await open();
    for (const jid of ["warned", "short"]) {
      await bench.put("q", jid, jid === "short" ? { cutoff: 30 } : {});
      await bench.pop("q", "dead");
      if (jid === "warned") await bench.later(60).json("tick");
    }
    await bench.later(BACK).json("tick");
    await bench.later(60).json("tick");
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["warned"]);
    await bench.later(10).json("tick");
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["short"]);
  });

  test("puts the next child of an interval in its rhythm, and leaves moments as they are", async () => {
    const bench = await open();
    const recur = (jid: string, interval: number, offset: number) =>
      bench.call("recur", "q", jid, "k", "{}", "interval", interval, offset);
    await recur("minute", 60, 0);
    await recur("later", 60, 500);
    await recur("paused", 60, 0);
    await bench.pop("q", "w", 9);
    await bench.call("recur.pause", "paused");
    await bench.put("q", "delayed", { delay: 50 });
    await bench.json("tick");
    bench.later(-290);
    await bench.json("tick");
    const nextOf = async (jid: string) => (await bench.json("recur.get", jid)).next;
    expect(await nextOf("minute")).toBe(1_000_000 - 240);
    expect(await nextOf("later")).toBe(1_000_500);
    expect(await bench.json("recur.get", "paused")).toMatchObject({ paused: true });
    bench.later(50);
    expect(jidsOf(await bench.pop("q", "w", 9))).toEqual(["minute-2"]);
    expect(await bench.json("get", "delayed")).toMatchObject({ state: "scheduled" });
  });

  test("goes through any number of queues, locks and recurring jobs, some at a time", async () => {
    const bench = await open();
    for (let i = 0; i < 130; i++) {
      await bench.put(`queue-${i}`, `alone-${i}`);
      await bench.pop(`queue-${i}`, "dead");
      await bench.put("full", `full-${i}`);
      await bench.call("recur", "full", `r-${i}`, "k", "{}", "interval", 60, 0);
    }
    await bench.pop("full", "dead", 500);
    await bench.pop("full", "dead", 500);
    await bench.json("tick");
    bench.later(BACK);
    let ticks = 1;
    while ((await bench.json("tick")).more) ticks += 1;
    expect(ticks).toBeGreaterThan(3);
    expect(ticks).toBeLessThan(12);
    for (let i = 0; i < 130; i++) {
      expect((await bench.json("recur.get", `r-${i}`)).next).toBeLessThanOrEqual(bench.now + 60);
    }
    bench.later(60);
    while ((await bench.json("tick")).more);
    bench.later(10);
    while ((await bench.json("tick")).more);
    expect(await bench.json("workers", "dead")).toEqual({ jobs: [], stalled: [] });
  });

  test("tells a worker that waits when the lock ends now", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "dead");
    await bench.json("tick");
    bench.later(BACK);
    await bench.call("wait", "w", 60, "q");
    const heard = await bench.hearing(() => bench.json("tick"));
    expect(heard.map(({ message }) => JSON.parse(message))).toContainEqual({
      ...{ event: "wake", queue: "q", worker: "w", at: bench.now + 60 },
    });
  });

  test("does nothing where the clock goes on, or was set back by less than a second", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.pop("q", "w");
    await bench.json("tick");
    await bench.call("config.set", "heartbeat", 10);
    const ends = async () => (await bench.json("get", "a")).expires;
    const before = await ends();
    for (const seconds of [-0.9, 0, 5, 20]) {
      await bench.later(seconds).json("tick");
      expect(await ends()).toBe(before);
    }
  });
});
