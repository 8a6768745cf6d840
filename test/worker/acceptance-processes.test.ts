import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { PLACES } from "../client/every-client.ts";
import { openFleet } from "./fleet.ts";

/** Of the ten promises in acceptance.test.ts, those that need workers in processes of their own. */

const LEASE = { heartbeat: 1000, grace: 500 };
/** How soon after a death another process begins the job again, on a slow machine. */
const SOON_MS = LEASE.heartbeat + LEASE.grace + 1500;

const statesOf = async (client: Client, jids: string[]) =>
  new Set((await client.getMany(jids)).map(({ state }) => state));

describe.each(PLACES)("on %s", (place) => {
  test("1: a worker that is killed with all that a limit allows lets others go on in time", async () => {
    const { client, fleet } = await openFleet(place, LEASE);
    await client.config.setQueue("q", "max-concurrency", 3);
    const jobs = Array.from({ length: 6 }, () => ({ klass: "k", data: { ms: 50 }, retries: 50 }));
    const jids = (await client.queue("q").putMany(jobs)).map(({ jid }) => jid);
    const doomed = fleet.start({ hangs: true });
    await expect.poll(() => fleet.runs.size, { timeout: 20_000 }).toBe(3);
    await fleet.started();
    expect(await client.queue("q").counts()).toMatchObject({ running: 3, waiting: 3 });
    const held = [...fleet.runs.keys()];
    doomed.kill("SIGKILL");
    const states = async () => {
      expect((await client.queue("q").counts()).running).toBeLessThanOrEqual(3);
      return statesOf(client, jids);
    };
    await expect.poll(states, { timeout: 20_000, interval: 20 }).toEqual(new Set(["complete"]));
    const died = fleet.deaths.get(doomed.pid!)!;
    for (const jid of held) expect(fleet.runs.get(jid)![1]!.at - died).toBeLessThan(SOON_MS);
    expect(await client.maintenance.check()).toEqual([]);
  }, 60_000);

  test("2: workers of other klasses leave scheduled and retried jobs alone for an hour and two deploys", async () => {
    const { client, fleet } = await openFleet(place, { heartbeat: 60_000, grace: 10_000 });
    const put = async (klass: string) => {
      const queue = client.queue(klass);
      const late = Array.from({ length: 5 }, () => ({ klass, data: {}, delay: "1h" as const }));
      const data = { throws: 1 };
      const again = Array.from({ length: 5 }, () => ({ klass, data, backoff: "fixed 3600" }));
      return (await queue.putMany([...late, ...again])).map(({ jid }) => jid);
    };
    const [a, b] = [await put("a"), await put("b")];
    const all = [...a, ...b];
    const start = (klass: string, ahead: number, queues = [klass]) =>
      fleet.started({ klasses: [klass], queues, ahead });
    let old = [await start("a", 0), await start("b", 0)];
    const begun = () => [...fleet.runs.values()].flat().length;
    const scheduled = () => statesOf(client, all);
    await expect.poll(begun, { timeout: 20_000 }).toBe(10);
    await expect.poll(scheduled, { timeout: 10_000 }).toEqual(new Set(["scheduled"]));
    /** Half an hour later, new processes take over one after the other, and find work of their own. */
    const deploy = async () => {
      const next = [];
      for (const [i, klass] of ["a", "b"].entries()) {
        next.push(await start(klass, 1800));
        await fleet.retire(old[i]!);
        const { jid } = await client.queue(klass).put(klass, {});
        await client.waitFor(jid, { timeout: "20s" });
        expect(fleet.runs.get(jid)).toMatchObject([{ pid: next[i]!.pid }]);
      }
      return next;
    };
    old = await deploy();
    expect(await scheduled()).toEqual(new Set(["scheduled"]));
    // All are due, but at first only those who do not know the klass are there, and they ask for it.
    const other = await start("a", 3700, ["a", "b"]);
    await expect
      .poll(() => statesOf(client, a), { timeout: 20_000 })
      .toEqual(new Set(["complete"]));
    const givenBack = async () => {
      const jobs = await client.getMany(b);
      return jobs.filter(({ history }) => history.at(-1)!.what === "retried").length;
    };
    await expect.poll(givenBack, { timeout: 20_000 }).toBe(10);
    for (const child of [...old, other]) await fleet.retire(child);
    await start("b", 3720);
    await expect
      .poll(() => statesOf(client, b), { timeout: 20_000 })
      .toEqual(new Set(["complete"]));
    await fleet.stop();
    expect([...(await client.failures.groups())]).toEqual([]);
    for (const jids of [a, b]) {
      const tries = jids.map((jid) => fleet.runs.get(jid)!.length);
      expect(tries).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    }
    expect(await client.maintenance.check()).toEqual([]);
  }, 90_000);

  test("6: a worker that was frozen until its job was another's cannot end it", async () => {
    const { client, fleet } = await openFleet(place, LEASE);
    const data = { ms: 50, tells: true };
    const { jid } = await client.queue("q").put("k", data, { retries: 50 });
    const frozen = fleet.start({ freezes: true });
    await expect.poll(() => fleet.runs.size, { timeout: 20_000 }).toBe(1);
    const other = fleet.start();
    await client.waitFor(jid, { timeout: "20s" });
    frozen.kill("SIGCONT");
    const lost = [{ jid, pid: frozen.pid }];
    await expect.poll(() => fleet.lost, { timeout: 20_000 }).toEqual(lost);
    await fleet.stop();
    const job = (await client.get(jid))!;
    expect(job).toMatchObject({ state: "complete", data: { by: other.pid } });
    expect(job.history.filter(({ what }) => what === "done")).toHaveLength(1);
    const [first, second] = fleet.runs.get(jid)!;
    expect(second!.lease).toBeGreaterThan(first!.lease);
    expect(await client.maintenance.check()).toEqual([]);
  }, 60_000);
});

describe("8: workers whose clocks are wrong, on Redis, whose own clock counts", () => {
  test("fire each tick once between them, though their clocks are two minutes apart", async () => {
    const { client, fleet } = await openFleet("redis", { heartbeat: 60_000, grace: 10_000 });
    const options = { cron: "* * * * * *", queue: "q", missed: "all", backlog: 1000 } as const;
    await client.schedules.set("s", "k", {}, options);
    for (const skew of [-60, 0, 60]) await fleet.started({ skew });
    const runs = async () => (await client.schedules.get("s"))!.runs;
    await expect.poll(runs, { timeout: 20_000 }).toBeGreaterThanOrEqual(5);
    await client.schedules.pause("s");
    await expect.poll(() => fleet.runs.size, { timeout: 20_000 }).toBe(await runs());
    await fleet.stop();
    expect([...fleet.runs.values()].every((list) => list.length === 1)).toBe(true);
    const ticks = [...fleet.runs.keys()].map((jid) => Number(jid.slice("s-".length)));
    const first = Math.min(...ticks);
    expect(ticks.toSorted((x, y) => x - y)).toEqual(ticks.map((_, i) => first + i));
    expect(await client.maintenance.check()).toEqual([]);
  }, 60_000);

  test.each([-60, 60])(
    "fire it in time though theirs is %i seconds off",
    async (skew) => {
      const { client, fleet } = await openFleet("redis", LEASE);
      await client.schedules.set("s", "k", {}, { cron: "* * * * * *", queue: "q" });
      await fleet.started({ skew });
      const begun = () => fleet.runs.size;
      await expect.poll(begun, { timeout: 30_000, interval: 50 }).toBeGreaterThan(0);
      const at = performance.now();
      await expect.poll(begun, { timeout: 30_000, interval: 50 }).toBeGreaterThanOrEqual(4);
      expect(performance.now() - at).toBeLessThan(10_000);
    },
    90_000,
  );
});
