import { expect, onTestFinished, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { RedisEngine } from "../../src/redis/engine.ts";
import { everyClient } from "../client/every-client.ts";
import { openRedis } from "../redis/support.ts";
import { startRedis } from "../redis-server.ts";
import { sleep, workerOf } from "./support.ts";

/** What an idle worker starts although nobody puts a job that would wake it. */

const QUEUES = ["a", "b", "c", "d"];
/** How late something may start that becomes due without a put, in milliseconds. */
const LATE_MS = 2500;

/** An idle worker, and when it has begun which jobs. */
async function idle(client: Client, queues: readonly string[] = QUEUES) {
  const began = new Map<string, number>();
  const worker = workerOf(client, { queues: [...queues], concurrency: 20 }).handle("k", (job) => {
    began.set(job.jid, performance.now());
  });
  await worker.start();
  // Until its first round of upkeep is over, which would find everything.
  await sleep(1500);
  /** Milliseconds from when `start` has ended until a job begins whose jid starts so. */
  const took = async (start: () => Promise<unknown>, jid: string) => {
    await start();
    const from = performance.now();
    const begun = () => [...began].find(([one]) => one.startsWith(jid))?.[1];
    await expect.poll(begun, { timeout: 30_000, interval: 5 }).toBeDefined();
    return begun()! - from;
  };
  return { worker, began, took };
}

everyClient("an idle worker starts without a put", (open) => {
  test("a recurring job that is set, changed or resumed", async () => {
    const client = await open();
    const { took } = await idle(client);
    const { recurring } = client;
    const set = () => recurring.set("r", "k", {}, { interval: "1h", queue: "a" });
    expect(await took(set, "r-1")).toBeLessThan(LATE_MS);
    await recurring.set("s", "k", {}, { interval: "1h", offset: "30m", queue: "b" });
    const hurry = () => client.engine.call("recur.update", ["s", "interval", 1800]);
    expect(await took(hurry, "s-1")).toBeLessThan(LATE_MS);
    await recurring.set("t", "k", {}, { interval: "1s", offset: "1h", queue: "c" });
    await recurring.pause("t");
    await client.engine.call("recur.update", ["t", "queue", "d"]);
    await recurring.set("t", "k", {}, { interval: "1s", offset: 0, queue: "d" });
    expect(await took(() => recurring.unpause("t"), "t-1")).toBeLessThan(LATE_MS + 1000);
    await recurring.remove("t");
  });

  test("jobs of a queue whose pause ends, by itself or by hand", async () => {
    const client = await open();
    const { took } = await idle(client);
    for (const queue of ["b", "c"]) {
      const paused = client.queue(queue);
      await paused.pause({ for: "1s" });
      await paused.put("k", {}, { jid: `ends-${queue}` });
    }
    expect(await took(async () => {}, "ends-b")).toBeLessThan(1000 + LATE_MS);
    expect(await took(async () => {}, "ends-c")).toBeLessThan(1000 + LATE_MS);
    await client.queue("a").pause();
    await client.queue("a").put("k", {}, { jid: "due", delay: 500 });
    await sleep(700);
    expect(await took(() => client.queue("a").unpause(), "due")).toBeLessThan(LATE_MS);
  });

  test("all of 1,200 jobs whose last dependency completes", async () => {
    const client = await open();
    const { took, began } = await idle(client);
    await client.queue("elsewhere").put("k", {}, { jid: "before" });
    const waiting = Array.from({ length: 1200 }, (_, i) => ({
      ...{ klass: "k", data: {}, jid: `after-${i}`, depends: ["before"] },
    }));
    for (let i = 0; i < 1200; i += 400) {
      await client.queue("d").putMany(waiting.slice(i, i + 400));
    }
    const [job] = await client.queue("elsewhere").pop();
    await took(() => job!.complete(), "after");
    const all = () => began.size;
    await expect.poll(all, { timeout: 20_000 }).toBe(1200);
    const times = [...began.values()].sort((a, b) => a - b);
    expect(times.at(-1)! - times[0]!).toBeLessThan(5000);
  }, 40_000);

  test("jobs that are moved, tried again or brought back after a failure", async () => {
    const client = await open();
    const { took } = await idle(client);
    const elsewhere = client.queue("elsewhere");
    for (const jid of ["moved", "retried", "failed"]) await elsewhere.put("k", {}, { jid });
    const jobs = await elsewhere.pop({ count: 3 });
    expect(
      await took(() => client.get("moved").then((job) => job!.move("c")), "moved"),
    ).toBeLessThan(LATE_MS);
    await jobs.find(({ jid }) => jid === "failed")!.fail("group", "message");
    const unfail = () => client.failures.unfail("group", "a");
    expect(await took(unfail, "failed")).toBeLessThan(LATE_MS);
    await jobs.find(({ jid }) => jid === "retried")!.retry();
    expect(
      await took(() => client.get("retried").then((job) => job!.move("b")), "retried"),
    ).toBeLessThan(LATE_MS);
  });

  test("every tick of a schedule of every second, from the first, and of one that is resumed", async () => {
    const client = await open();
    const { took, began } = await idle(client);
    const each = { cron: "* * * * * *", queue: "c", missed: "one" } as const;
    expect(await took(() => client.schedules.set("s", "k", {}, each), "s-")).toBeLessThan(
      1000 + LATE_MS,
    );
    await sleep(6000);
    const ticks = [...began.keys()].map((jid) => Number(jid.split("-")[1])).sort((a, b) => a - b);
    expect(ticks.length).toBeGreaterThanOrEqual(6);
    expect(ticks).toEqual(ticks.map((_, i) => ticks[0]! + i));
    await client.schedules.pause("s");
    await sleep(1500);
    began.clear();
    expect(await took(() => client.schedules.unpause("s"), "s-")).toBeLessThan(1000 + LATE_MS);
    await client.schedules.remove("s");
  }, 20_000);
});

everyClient("a worker", (open) => {
  test("fires 1,000 schedules of one moment within seconds, each once beside another worker", async () => {
    const client = await open();
    const other = new Client(client.engine, { name: "other" });
    const at = new Date(Date.now() + 8000);
    at.setUTCMilliseconds(0);
    const cron = `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
    const options = { cron, queue: "unpopped" };
    for (let i = 0; i < 1000; i += 100) {
      const some = Array.from({ length: 100 }, (_, k) => `s${i + k}`);
      await Promise.all(some.map((jid) => client.schedules.set(jid, "k", {}, options)));
    }
    expect(Date.now()).toBeLessThan(at.getTime());
    for (const one of [client, other]) {
      await workerOf(one, { queues: "idle" })
        .handle("k", () => {})
        .start();
    }
    await sleep(at.getTime() - Date.now());
    const put = () => client.queue("unpopped").length();
    await expect.poll(put, { timeout: 30_000, interval: 50 }).toBe(1000);
    expect(Date.now() - at.getTime()).toBeLessThan(4000);
    await sleep(1500);
    expect(await put()).toBe(1000);
    for (const { runs } of await client.schedules.list({ count: 1000 })) expect(runs).toBe(1);
  }, 40_000);
});

everyClient("a job whose worker was woken and does not come", (open) => {
  test("waits for less than seven seconds for another, however many queues that one has", async () => {
    const waits = [1, 4, 20, 50].map(async (count) => {
      const client = await open();
      const queues = Array.from({ length: count }, (_, i) => `q${i}`);
      const { took } = await idle(client, queues);
      // It hears that it is woken, and never comes.
      await client.engine.subscribe(() => {}, { worker: "frozen" });
      await client.engine.call("wait", ["frozen", 200, ...queues]);
      const put = () => client.queue(queues.at(-1)!).put("k", {}, { jid: "late" });
      expect(await took(put, "late")).toBeLessThan(7000);
    });
    await Promise.all(waits);
  }, 40_000);
});

test("A worker is listed again soon after FLUSHALL has removed what it waits in", async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const client = new Client(await RedisEngine.open(server.url, { onWarning: () => {} }));
  onTestFinished(() => client.close());
  const redis = openRedis(server.url);
  const { took } = await idle(
    client,
    Array.from({ length: 20 }, (_, i) => `q${i}`),
  );
  await redis.flushall();
  const listed = () => redis.exists("ql:q:q7-idle");
  await expect.poll(listed, { timeout: 7000 }).toBe(1);
  const put = () => client.queue("q7").put("k", {}, { jid: "soon" });
  expect(await took(put, "soon")).toBeLessThan(1000);
}, 20_000);
