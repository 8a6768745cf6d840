import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf } from "../engines.ts";
import { heard, refusesEach } from "../told.ts";

/** What a tick says when it found nothing to do. */
const IDLE = { more: false, next: null, moved: 0, released: 0, removed: 0 };

everyEngine("tick", (open) => {
  async function run(bench: Bench, queue: string, jid: string, worker = "w") {
    await bench.put(queue, jid);
    await bench.pop(queue, worker);
  }
  const stateOf = async (bench: Bench, jid: string) => (await bench.json("get", jid))?.state;

  test("does nothing in an empty namespace", async () => {
    const bench = await open();
    expect(await bench.json("tick")).toEqual(IDLE);
  });

  test("does nothing before something is due, and tells when that is", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 100 });
    expect(await bench.json("tick")).toEqual({ ...IDLE, next: 1_000_100 });
    await run(bench, "q", "b");
    expect(await bench.json("tick")).toEqual({ ...IDLE, next: 1_000_060 });
    await bench.call("recur", "r", "c", "klass", "{}", "interval", 60, 0.5);
    expect(await bench.json("tick")).toEqual({ ...IDLE, next: 1_000_000.5 });
    expect(await bench.later(0.499).json("tick")).toEqual({ ...IDLE, next: 1_000_000.5 });
    expect(await bench.later(0.001).json("tick")).toMatchObject({ moved: 1, next: 1_000_060 });
  });

  test("warns the holder of an expired lock, then takes the job away", async () => {
    const bench = await open();
    await run(bench, "q", "a");
    await bench.call("track", "track", "a");
    const warning = await heard(bench.later(60), async () => {
      expect(await bench.json("tick")).toMatchObject({ moved: 1, more: false, next: 1_000_070 });
    });
    const lost = { event: "lock_lost", jid: "a", worker: "w" };
    expect(warning).toEqual([
      ["stalled", "a"],
      ["w:w", lost],
      ["log", lost],
    ]);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "running",
      worker: "w",
      remaining: 5,
      expires: 1_000_070,
      history: [{ what: "put" }, { what: "popped" }, { what: "timed-out" }],
    });
    expect(await bench.later(9.999).json("tick")).toMatchObject({ moved: 0 });
    expect(await heard(bench.later(0.001), () => bench.call("tick"))).toEqual([]);
    expect(await bench.json("get", "a")).toMatchObject({
      state: "stalled",
      worker: "",
      remaining: 4,
      expires: 0,
    });
    expect(await bench.json("tick")).toEqual(IDLE);
  });

  test("takes jobs away at once without a grace period, and fails those without retries", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    for (const jid of ["a", "b"]) await bench.put("q", jid, { retries: jid === "a" ? 1 : 0 });
    await bench.pop("q", "w", 2);
    expect(await bench.later(60).json("tick")).toMatchObject({ moved: 2 });
    expect(await bench.json("get", "a")).toMatchObject({ state: "stalled", remaining: 0 });
    expect(await bench.json("get", "b")).toMatchObject({
      state: "failed",
      remaining: -1,
      failure: {
        group: "crashed",
        message: expect.stringContaining("Worker w is gone"),
        when: bench.now,
        worker: "w",
      },
    });
  });

  test("leaves a renewed lock alone, which is warned anew when it expires", async () => {
    const bench = await open();
    await run(bench, "q", "a");
    await bench.later(60).call("tick");
    await bench.call("heartbeat", "a", "w");
    expect(await bench.later(59).json("tick")).toMatchObject({ moved: 0 });
    await bench.later(1).call("tick");
    expect(await bench.json("get", "a")).toMatchObject({ state: "running", remaining: 5 });
    expect((await bench.json("stats", "q", bench.now)).retries).toBe(2);
  });

  test("takes a job away that runs on when the grace period after its cutoff is over", async () => {
    const bench = await open();
    await bench.put("q", "a", { cutoff: 30 });
    await bench.pop("q", "w");
    await bench.later(30).call("tick");
    expect(await bench.json("get", "a")).toMatchObject({ state: "running", remaining: 5 });
    await bench.later(10).call("tick");
    expect(await bench.json("get", "a")).toMatchObject({ state: "stalled", remaining: 4 });
  });

  test("looks after paused queues, and after those that nobody polls", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    for (const queue of ["paused", "unpolled"]) {
      await run(bench, queue, `${queue}-lost`);
      await bench.put(queue, `${queue}-due`, { delay: 10 });
      await bench.call("recur", queue, `${queue}-r`, "klass", "{}", "interval", 600, 10);
    }
    await bench.call("pause", "paused");
    expect(await bench.later(60).json("tick")).toMatchObject({ moved: 6, more: false });
    for (const queue of ["paused", "unpolled"]) {
      expect(await stateOf(bench, `${queue}-lost`)).toBe("stalled");
      expect(await bench.call("jobs", "waiting", queue)).toEqual([
        `${queue}-lost`,
        `${queue}-due`,
        `${queue}-r-1`,
      ]);
    }
  });

  test("moves due jobs to their place by due time and priority", async () => {
    const bench = await open();
    await bench.put("q", "late", { delay: 20 });
    await bench.put("q", "soon", { delay: 10 });
    await bench.put("q", "urgent", { delay: 30, priority: -1 });
    await bench.later(15).put("q", "between");
    expect(await bench.later(15).json("tick")).toMatchObject({ moved: 3 });
    expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(["urgent", "soon", "between", "late"]);
  });

  test("promotes at most a hundred jobs of a queue at once, and says that there is more", async () => {
    const bench = await open();
    const jobs = Array.from({ length: 250 }, (_, i) => ["q", `j${i}`, "k", "{}", 10, 0]);
    await bench.call("put.many", "w", ...jobs.flat());
    bench.later(10);
    expect(await bench.json("tick")).toMatchObject({ moved: 100, more: true, next: 1_000_010 });
    expect(await bench.json("tick")).toMatchObject({ moved: 100, more: true });
    expect(await bench.json("tick")).toEqual({ ...IDLE, moved: 50 });
    expect(await bench.pop("q", "w", 1000)).toHaveLength(250);
  });

  test("warns and takes away at most a hundred locks of a queue at once", async () => {
    const bench = await open();
    await bench.call("config.set", "grace-period", 0);
    const jobs = Array.from({ length: 150 }, (_, i) => ["q", `j${i}`, "k", "{}", 0, 0]);
    await bench.call("put.many", "w", ...jobs.flat());
    await bench.pop("q", "w", 150);
    bench.later(60);
    expect(await bench.json("tick")).toMatchObject({ moved: 100, more: true });
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 100, stalled: 50 });
    expect(await bench.json("tick")).toEqual({ ...IDLE, moved: 50 });
    expect(await bench.json("tick")).toEqual(IDLE);
  });

  test("makes at most a hundred children of a queue at once", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 1, 0);
    bench.later(149);
    expect(await bench.json("tick")).toMatchObject({ moved: 100, more: true });
    expect(await bench.json("tick")).toMatchObject({ moved: 50, more: false, next: 1_000_150 });
  });

  test("looks after ten queues at once, those first that are due first", async () => {
    const bench = await open();
    for (let i = 0; i < 25; i++) await bench.put(`q${i}`, `j${i}`, { delay: 25 - i });
    bench.later(100);
    expect(await bench.json("tick")).toMatchObject({ moved: 10, more: true });
    expect(await stateOf(bench, "j24")).toBe("waiting");
    expect(await bench.call("jobs", "waiting", "q24")).toEqual(["j24"]);
    expect(await bench.json("tick")).toMatchObject({ moved: 10, more: true });
    expect(await bench.json("tick")).toEqual({ ...IDLE, moved: 5 });
    for (let i = 0; i < 25; i++) expect(await bench.pop(`q${i}`, "w")).toHaveLength(1);
  });

  test("comes by in time however jobs enter and leave a queue", async () => {
    const bench = await open();
    await run(bench, "q", "a");
    await bench.call("complete", "a", "w", "q", "{}", "next", "r", "delay", 5);
    expect(await bench.later(5).json("tick")).toMatchObject({ moved: 1 });
    await bench.pop("r", "w");
    await bench.call("retry", "a", "r", "w", 7);
    expect(await bench.later(7).json("tick")).toMatchObject({ moved: 1 });
    await bench.pop("r", "w");
    await bench.put("s", "b", { delay: 20, depends: ["a"] });
    await bench.later(10).call("complete", "a", "w", "r", "{}");
    expect(await bench.json("tick")).toMatchObject({ moved: 0 });
    expect(await bench.later(10).json("tick")).toMatchObject({ moved: 1, more: false });
    expect(jidsOf(await bench.pop("s", "w"))).toEqual(["b"]);
  });

  test("leaves nothing to do that it says has been done", async () => {
    const bench = await open();
    await run(bench, "q", "a");
    await bench.put("q", "b", { delay: 5 });
    bench.later(60);
    let last = await bench.json("tick");
    for (let i = 0; i < 5 && last.more; i++) last = await bench.json("tick");
    expect(last.more).toBe(false);
    expect(await bench.json("tick")).toMatchObject({ moved: 0, released: 0, removed: 0 });
  });

  test("refuses arguments", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 1 });
    bench.later(1);
    await refusesEach(bench, "tick", [
      [["q"], /^Odd number of additional args/],
      [["queue", "q"], "Unknown option queue: it takes none"],
    ]);
  });
});
