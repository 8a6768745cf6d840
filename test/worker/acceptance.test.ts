import { expect, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { everyClient } from "../client/every-client.ts";
import { timed, workerOf } from "./support.ts";

/**
 * What users of earlier queues were hurt by, as ten promises; each is kept by a test:
 *
 *  1  a killed worker frees its part of a limit    acceptance-processes.test.ts
 *  2  a worker does no harm to others' klasses     acceptance-processes.test.ts
 *  3  unique keys are kept and let go rightly      here
 *  4  data stays the same to the byte              here
 *  5  a cut during complete leaves no trace        outages.test.ts, "runs every job, and each once in
 *                                                  the record"; over SQLite there is nothing to cut
 *  6  a thawed worker can end nobody else's run    acceptance-processes.test.ts
 *  7  deadly jobs fail, and malformed data does    killed.test.ts, "that a job kills each time";
 *                                                  worker.test.ts, "fails malformed data"
 *  8  schedules survive a time without workers,    here
 *     and clocks that are wrong                    here, and acceptance-processes.test.ts
 *  9  a hung handler does not hold up a stop       safety.test.ts, "returns by the deadline"
 * 10  idle workers cost little and wake at once    acceptance-idle.test.ts
 */

/** Runs what can be run now in queue `k`, and tells the data that the handler saw. */
async function drained(
  client: Client,
  handler: (data: never) => unknown = () => {},
): Promise<unknown[]> {
  const seen: unknown[] = [];
  const worker = workerOf(client, { queues: "k" }).handle("k", (job) => {
    seen.push(job.data);
    return handler(job.data as never);
  });
  expect(await worker.drain({ timeout: "10s" })).toMatchObject({ isEmpty: true });
  return seen;
}

everyClient("3: a unique key", (open) => {
  test("is held by a scheduled job for however long it waits", async () => {
    const { client, advance } = timed(await open());
    const { jid } = await client.put("k", "first", { unique: "u", delay: "48h" });
    for (const by of ["1h", "24h", "22h 59m"] as const) {
      advance(by);
      await client.maintenance.tick();
      expect(await client.put("k", "next", { unique: "u" })).toEqual({ jid, outcome: "kept" });
    }
    expect(await drained(client)).toEqual([]);
    advance("1m 1s");
    expect(await drained(client)).toEqual(["first"]);
    expect(await client.put("k", "next", { unique: "u" })).toMatchObject({ outcome: "created" });
  });

  test("is held for a time where that was asked for, though the job waits longer", async () => {
    const { client, advance } = timed(await open());
    const unique = { key: "u", for: "1h" } as const;
    const { jid } = await client.put("k", "first", { unique, delay: "2h" });
    advance("59m");
    expect(await client.put("k", "next", { unique })).toEqual({ jid, outcome: "kept" });
    advance("1m 1s");
    expect(await client.put("k", "next", { unique })).toMatchObject({ outcome: "created" });
    advance("2h");
    expect((await drained(client)).toSorted()).toEqual(["first", "next"]);
  });

  test.each([
    ["complete", false],
    ["start", true],
  ] as const)("until %s, a put while the job runs makes another: %s", async (until, makes) => {
    const client = await open();
    const unique = { key: "u", until };
    const { jid } = await client.put("k", "first", { unique });
    const seen = await drained(client, async (data) => {
      if (data !== "first") return;
      const second = await client.put("k", "second", { unique });
      expect(second.outcome).toBe(makes ? "created" : "kept");
      if (!makes) expect(second.jid).toBe(jid);
    });
    expect(seen).toEqual(makes ? ["first", "second"] : ["first"]);
    expect(await client.holderOf("u")).toBeUndefined();
  });

  test("stays with the newer copy when the older one is tried again", async () => {
    const { client, advance } = timed(await open());
    const unique = { key: "u", until: "start" } as const;
    await client.put("k", "older", { unique, backoff: "fixed 60" });
    let newer = "";
    const seen = await drained(client, async () => {
      newer = (await client.put("k", "newer", { unique, delay: "1h" })).jid;
      throw new Error("once");
    });
    expect(await client.holderOf("u")).toBe(newer);
    advance("61s");
    seen.push(...(await drained(client)));
    expect(await client.put("k", "third", { unique })).toEqual({ jid: newer, outcome: "kept" });
    advance("1h");
    seen.push(...(await drained(client)));
    expect(seen).toEqual(["older", "older", "newer"]);
    expect(await client.holderOf("u")).toBeUndefined();
  });

  test("is held between two tries, when a newer copy may give the job its data", async () => {
    const { client, advance } = timed(await open());
    const { jid } = await client.put("k", "older", { unique: "u", backoff: "fixed 60" });
    const broken = () => {
      throw new Error("once");
    };
    await drained(client, broken);
    expect(await client.put("k", "lost", { unique: "u" })).toEqual({ jid, outcome: "kept" });
    await client.put("k", "newer", { unique: { key: "u", conflict: "data" } });
    advance("61s");
    expect(await drained(client)).toEqual(["newer"]);
    expect(await client.get(jid)).toMatchObject({ state: "complete", remaining: 5 });
  });

  test.each([
    ["waiting", {}],
    ["scheduled", { delay: "1h" }],
    ["failed", { retries: 0 }],
    ["depends", { depends: ["other"] }],
  ] as const)("is free once a job that is %s is canceled", async (state, options) => {
    const client = await open();
    await client.queue("elsewhere").put("k", 0, { jid: "other" });
    const unique = { key: "u", until: "complete" } as const;
    const { jid } = await client.put("k", 1, { unique, ...options });
    if (state === "failed") await drained(client, () => Promise.reject(new Error("for good")));
    const job = (await client.get(jid))!;
    expect(job).toMatchObject({ state, unique: "u" });
    await job.cancel();
    expect(await client.holderOf("u")).toBeUndefined();
    expect(await client.put("k", 2, { unique })).toMatchObject({ outcome: "created" });
  });
});

/** What JavaScript itself cannot say, but other programs that put jobs can. */
const TEXTS = [
  '{"id":123456789012345678,"ids":[987654321098765432]}',
  "123456789012345678",
  ' { "spaces" : [ 1.0 , 1e3 , -0 , 0.1000 ] } ',
  '{"a":1,"a":2,"escaped":"\\u00e9\\/"}',
];
const VALUES = [
  { id: 123456789012345680, small: 2 ** -1074 },
  [],
  {},
  { a: [], b: {}, c: [{}, []], d: null, e: [null, { f: null }] },
  'é 𝒜 🙂 \u0000 \u2028 " \\ /',
  { "é\n": ["𝒜"], __proto__: null },
  null,
  false,
  0,
];

everyClient("4: data", (open) => {
  test("stays the same to the byte from put to schedule, retry, failure, unfail and end", async () => {
    const { client, advance } = timed(await open());
    const put = new Map<string, string>();
    for (const text of TEXTS) {
      const words = ["me", "q", `text-${put.size}`, "k", text, 3600, "backoff", "fixed 60"];
      put.set((await client.engine.call("put", words)) as string, text);
    }
    for (const value of VALUES) {
      const options = { delay: "1h", backoff: "fixed 60" } as const;
      const { jid } = await client.queue("q").put("k", value, options);
      put.set(jid, JSON.stringify(value));
    }
    const runs = new Map<string, number>();
    const handler = ({ jid, rawData }: { jid: string; rawData: string }) => {
      expect(rawData).toBe(put.get(jid));
      runs.set(jid, (runs.get(jid) ?? 0) + 1);
      return runs.get(jid);
    };
    const expectAll = async (state: string) => {
      for (const job of await client.getMany([...put.keys()])) {
        expect([job.state, job.rawData]).toEqual([state, put.get(job.jid)]);
      }
    };
    const run = async () => {
      const worker = workerOf(client).handle("k", (job, context) => {
        const time = handler(job);
        if (time === 1) throw new Error("again");
        if (time === 2) context.fail("broken", "for good");
      });
      expect(await worker.drain({ timeout: "10s" })).toMatchObject({ isEmpty: true });
    };
    await expectAll("scheduled");
    advance("61m");
    await run();
    await expectAll("scheduled");
    advance("61s");
    await run();
    await expectAll("failed");
    expect(await client.failures.unfail("broken", "q", { count: 100 })).toBe(put.size);
    await expectAll("waiting");
    await run();
    await expectAll("complete");
    expect([...runs.values()]).toEqual([...put.keys()].map(() => 3));
  });
});

const HOUR = 3_600_000;

everyClient("8: a schedule", (open) => {
  test.each([
    ["skip", 0, {}],
    ["one", 1, {}],
    ["all", 5, {}],
    ["all", 2, { backlog: 2 }],
  ] as const)(
    "of which nobody fired five ticks, %s makes up for %i when a worker comes",
    async (...row) => {
      const [missed, count, more] = row;
      const time = timed(await open());
      const { client } = time;
      await client.schedules.set("s", "k", 1, { cron: "0 * * * *", missed, ...more });
      time.advance(HOUR - (time.now() % HOUR) + 4.5 * HOUR);
      let ran = 0;
      const worker = workerOf(client, { queues: "k" }).handle("k", () => void ran++);
      await worker.start();
      const next = async () => (await client.schedules.get("s"))!.next!.getTime();
      await expect.poll(next, { timeout: 10_000 }).toBe(time.now() + HOUR / 2);
      await worker.stop();
      await drained(client, () => void ran++);
      expect(ran).toBe(count);
      expect(await client.schedules.get("s")).toMatchObject({ runs: count });
    },
  );

  test("is fired once for each tick by clients whose clocks are two minutes apart", async () => {
    const base = await open();
    const start = Date.now();
    const all = [-60_000, 0, 60_000].map((skew) => timed(base, start + skew));
    const options = { cron: "*/5 * * * * *", missed: "all", backlog: 1000 } as const;
    await all[1]!.client.schedules.set("s", "k", 1, options);
    const fired: string[] = [];
    for (let round = 0; round < 20; round++) {
      for (const { advance } of all) advance("10s");
      const jids = await Promise.all(all.map(({ client }) => client.schedules.fireDue()));
      fired.push(...jids.flat());
    }
    const { runs, next } = (await base.schedules.get("s"))!;
    expect(new Set(fired).size).toBe(fired.length);
    expect(fired).toHaveLength(runs);
    expect(await base.queue("k").length()).toBe(runs);
    const latest = all[2]!.now();
    expect(next!.getTime()).toBeGreaterThan(latest);
    expect(runs).toBe(Math.floor(latest / 5000) - Math.floor(start / 5000));
  });
});
