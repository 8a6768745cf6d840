import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { PLACES, type Place } from "../client/every-client.ts";
import { type Fleet, openFleet } from "./fleet.ts";
import { sleep } from "./support.ts";

/** Workers in processes that are killed or frozen: no job may be lost, and none done twice. */

/** `npm run test:killed` is the long run. */
const JOBS = Number(process.env.KILLED_JOBS ?? 200);
const HEARTBEAT_MS = 1000;
const GRACE_MS = 500;

const begin = (place: Place) => openFleet(place, { heartbeat: HEARTBEAT_MS, grace: GRACE_MS });

async function putSome(client: Client, count: number, mostMs: number): Promise<string[]> {
  const jobs = Array.from({ length: count }, () => ({
    klass: "k",
    data: { ms: Math.random() * mostMs },
    retries: 50,
  }));
  return (await client.queue("q").putMany(jobs)).map(({ jid }) => jid);
}

/** Every job is complete, once in the record, under the lease of its last run. */
async function judge(client: Client, fleet: Fleet, jids: string[]): Promise<void> {
  const counts = () => client.queue("q").counts();
  const empty = { waiting: 0, running: 0, stalled: 0, scheduled: 0 };
  await expect.poll(counts, { timeout: 40_000 }).toMatchObject(empty);
  await fleet.stop();
  for (const jid of jids) {
    const job = (await client.get(jid))!;
    expect(job.state).toBe("complete");
    expect(job.history.filter(({ what }) => what === "done")).toHaveLength(1);
    const leases = fleet.runs.get(jid)!.map(({ lease }) => lease);
    expect(new Set(leases).size).toBe(leases.length);
  }
  expect(await client.maintenance.check()).toEqual([]);
}

/**
 * How long after the death of its worker each job that it held was begun again, or after another
 * worker was there to begin any.
 */
function recoveries({ runs, deaths }: Fleet): number[] {
  const all = [...runs.values()].flat();
  const took: number[] = [];
  for (const list of runs.values()) {
    list.forEach(({ pid }, i) => {
      const died = deaths.get(pid);
      const next = list[i + 1];
      if (died === undefined || next === undefined || next.at <= died) return;
      const there = Math.min(...all.filter((run) => run.pid === next.pid).map(({ at }) => at));
      took.push(next.at - Math.max(died, there));
    });
  }
  return took;
}

describe.each(PLACES)("workers on %s", (place) => {
  test("that are killed or frozen at random lose no job", async () => {
    const { client, fleet } = await begin(place);
    const jids: string[] = [];
    for (let i = 0; i < 4; i++) fleet.start();
    while (jids.length < JOBS) {
      jids.push(...(await putSome(client, Math.min(20, JOBS - jids.length), 150)));
      await expect.poll(() => fleet.busiest(), { timeout: 20_000, interval: 5 }).toBeDefined();
      await sleep(20 + Math.random() * 200);
      const child = fleet.busiest();
      if (Math.random() < 0.6) {
        child?.kill("SIGKILL");
        fleet.start();
      } else {
        child?.kill("SIGSTOP");
        const thaw = () => child?.kill("SIGCONT");
        setTimeout(thaw, (HEARTBEAT_MS + GRACE_MS) * (0.5 + Math.random()));
      }
    }
    await judge(client, fleet, jids);
    expect(recoveries(fleet).length).toBeGreaterThan(0);
  }, 120_000);

  test("that a job kills each time leave it in the group crashed", async () => {
    const { client, fleet } = await begin(place);
    const { jid } = await client.queue("q").put("k", { isDeadly: true }, { retries: 1 });
    for (let i = 0; i < 2; i++) {
      const [, signal] = await once(fleet.start(), "exit");
      expect(signal).toBe("SIGKILL");
    }
    fleet.start();
    expect((await client.waitFor(jid, { timeout: "20s" })).job?.failure).toMatchObject({
      group: "crashed",
    });
    expect(fleet.runs.get(jid)).toHaveLength(2);
    await fleet.stop();
  }, 60_000);

  const POINTS = [
    "after-pop",
    "in-handler",
    "before-finish",
    "finish-sent",
    "heartbeat",
    "in-shutdown",
  ];

  test.each(POINTS)(
    "that die %s lose no job, and others begin it again in time",
    async (point) => {
      const { client, fleet } = await begin(place);
      const jids: string[] = [];
      while (jids.length < JOBS) jids.push(...(await putSome(client, 100, 20)));
      const doomed = fleet.start({ point });
      if (point === "in-shutdown") {
        await expect.poll(() => fleet.runs.size, { timeout: 10_000 }).toBeGreaterThan(10);
        doomed.stdin!.end();
      }
      expect(await once(doomed, "exit")).toEqual([null, "SIGKILL"]);
      fleet.start();
      await judge(client, fleet, jids);
      const bound = HEARTBEAT_MS + GRACE_MS + 1500;
      const took = recoveries(fleet);
      if (point === "in-handler") expect(took.length).toBeGreaterThan(0);
      expect(Math.max(0, ...took)).toBeLessThan(bound);
    },
    60_000,
  );
});
