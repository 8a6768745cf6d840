import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { HistoryEntry } from "../../src/client/job.ts";
import { PLACES, type Place } from "../client/every-client.ts";
import { type Fleet, openFleet } from "./fleet.ts";
import { sleep } from "./support.ts";

/** Workers in processes that are killed or frozen: no job may be lost, and none done twice. */

/** `npm run test:killed` is the long run. */
const JOBS = Number(process.env.KILLED_JOBS ?? 200);
const HEARTBEAT_MS = 1000;
const GRACE_MS = 500;
/** So soon after the death of its worker another begins a job again. */
const BOUND_MS = HEARTBEAT_MS + GRACE_MS + 1500;

const begin = (place: Place) => openFleet(place, { heartbeat: HEARTBEAT_MS, grace: GRACE_MS });

async function putSome(client: Client, count: number, mostMs: number): Promise<string[]> {
  const jobs = Array.from({ length: count }, () => ({
    klass: "k",
    data: { ms: Math.random() * mostMs },
    retries: 50,
  }));
  return (await client.queue("q").putMany(jobs)).map(({ jid }) => jid);
}

/**
 * Every job is complete, once in the record, under the lease of its last run. Answers how long after
 * the death of its worker each job that it held was with another.
 */
async function judge(client: Client, fleet: Fleet, jids: string[]): Promise<number[]> {
  const took: number[] = [];
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
    took.push(...recoveries(job.history, fleet));
  }
  expect(await client.maintenance.check()).toEqual([]);
  return took;
}

/** The process of a worker, which is in its name. */
const pidOf = ({ worker }: HistoryEntry["details"]) => Number(/-(\d+)-\w+$/.exec(`${worker}`)![1]);

/**
 * How long after the death of each worker that held the job it was with another, or after the other
 * was there to take any. By the record, since some die before anything is begun.
 */
function recoveries(history: readonly HistoryEntry[], { deaths, ready }: Fleet): number[] {
  const popped = history.filter(({ what }) => what === "popped");
  return popped.flatMap(({ when, details }, i) => {
    const died = deaths.get(pidOf(details));
    const next = popped[i + 1];
    if (died === undefined || next === undefined) return [];
    const [held, taken] = [when.getTime(), next.when.getTime()];
    if (held > died || taken <= died) return [];
    return taken - Math.max(died, ready.get(pidOf(next.details))!);
  });
}

describe.each(PLACES)("workers on %s", (place) => {
  test("that are killed or frozen at random lose no job", async () => {
    const { client, fleet } = await begin(place);
    const jids: string[] = [];
    // One is spared, so that somebody is always there to take over.
    const spared = await fleet.started();
    for (let i = 0; i < 3; i++) await fleet.started();
    while (jids.length < JOBS) {
      jids.push(...(await putSome(client, Math.min(20, JOBS - jids.length), 150)));
      const busiest = () => fleet.busiest(spared);
      await expect.poll(busiest, { timeout: 20_000, interval: 5 }).toBeDefined();
      await sleep(20 + Math.random() * 200);
      const child = busiest()!;
      if (Math.random() < 0.6) {
        child.kill("SIGKILL");
        await fleet.started();
      } else {
        await fleet.freeze(child);
        const thaw = () => child.kill("SIGCONT");
        setTimeout(thaw, (HEARTBEAT_MS + GRACE_MS) * (0.5 + Math.random()));
      }
    }
    const took = await judge(client, fleet, jids);
    expect(took.length).toBeGreaterThan(0);
    expect(Math.max(...took)).toBeLessThan(BOUND_MS);
  }, 400_000);

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

  /** Where it holds jobs for certain. */
  const HOLDING = POINTS.slice(0, 3);

  const ENDS = POINTS.flatMap((point) => [
    ["are killed", point, "SIGKILL"] as const,
    ["freeze", point, "SIGSTOP"] as const,
  ]);

  test.each(ENDS)(
    "that %s %s lose no job, and others begin it again in time",
    async (_, point, signal) => {
      const { client, fleet } = await begin(place);
      const jids: string[] = [];
      while (jids.length < JOBS) jids.push(...(await putSome(client, 100, 20)));
      const doomed = fleet.start({ point, signal });
      if (point === "in-shutdown") {
        await expect.poll(() => fleet.runs.size, { timeout: 10_000 }).toBeGreaterThan(10);
        doomed.stdin!.end();
      }
      const isDead = () => fleet.deaths.has(doomed.pid!);
      await expect.poll(isDead, { timeout: 30_000, interval: 5 }).toBe(true);
      fleet.start();
      // One that is frozen goes on when all is done, and is told that its jobs are not its own any more.
      const took = await judge(client, fleet, jids);
      expect(Math.max(0, ...took)).toBeLessThan(BOUND_MS);
      if (!HOLDING.includes(point)) return;
      expect(took.length).toBeGreaterThan(0);
      expect(fleet.lost.length > 0).toBe(signal === "SIGSTOP");
    },
    60_000,
  );
});
