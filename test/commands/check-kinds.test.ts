import { Redis } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import type { CommandName } from "../../src/engine.ts";
import { RedisEngine } from "../../src/redis/engine.ts";
import { Bench, freshNamespace, jidsOf, redisUrl } from "../engines.ts";
import { jobIn, STATES } from "../states.ts";

/** Keys of Redis that hold something else than their names say. */

interface Site {
  bench: Bench;
  redis: Redis;
  ns: string;
}

const sites: Site[] = [];
afterEach(async () => {
  for (const { bench, redis } of sites.splice(0)) {
    await bench.engine.close();
    redis.disconnect();
  }
});

async function open(mode: "functions" | "scripts" = "functions"): Promise<Site> {
  const ns = freshNamespace();
  const engine = await RedisEngine.open(redisUrl(), { namespace: ns, mode, onWarning: () => {} });
  const site = { bench: new Bench(engine, mode), redis: new Redis(redisUrl()), ns };
  sites.push(site);
  return site;
}

/** A namespace with a key of every kind that the protocol lists. */
async function furnish({ bench }: Site): Promise<void> {
  for (const state of STATES) {
    await jobIn(bench, state, { jid: state, queue: `q-${state}`, tags: ["x"], source: "s" });
  }
  await bench.put("q", "first");
  await bench.put("q", "later", { depends: ["first"] });
  await bench.call("track", "track", "first");
  await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60, "tags", '["x"]');
  await bench.call("cron.put", "c", "q", "klass", "{}", "0 9 * * *", "UTC", bench.now + 3600);
  await bench.request("id", "put", "w", "q", "a", "klass", "{}", 0);
  await bench.put("q", "keyed", { unique: "key", for: 1000 });
  await bench.call("config.set", "q-heartbeat", 10);
  await bench.call("wait", "idler", 10, "elsewhere");
  await bench.call("worker.present", "w", 60, "{}");
  await bench.pop("other", "w");
  await bench.put("z", "timed");
  await bench.pop("z", "w");
}

const WRITERS: Record<string, (redis: Redis, key: string) => Promise<unknown>> = {
  string: (redis, key) => redis.set(key, "boo"),
  list: (redis, key) => redis.rpush(key, "boo"),
  set: (redis, key) => redis.sadd(key, "boo"),
  hash: (redis, key) => redis.hset(key, "boo", "1"),
  zset: (redis, key) => redis.zadd(key, 1, "boo"),
};

describe("check", () => {
  test("names each key of a wrong type, and one repair makes everything clean", async () => {
    const site = await open();
    const { bench, redis, ns } = site;
    await furnish(site);
    const keys = [ns, ...(await redis.keys(`${ns}:*`))].sort();
    const dumps = new Map<string, Buffer>();
    for (const key of keys) dumps.set(key, await redis.dumpBuffer(key));
    for (const key of keys) {
      const right = await redis.type(key);
      for (const wrong of Object.keys(WRITERS).filter((type) => type !== right)) {
        await redis.del(key);
        await WRITERS[wrong]!(redis, key);
        const told = `the key is a ${wrong === "zset" ? "sorted set" : wrong}, not a `;
        const problem = expect.stringContaining(told);
        const problems = [expect.objectContaining({ about: key, problem })];
        expect(await bench.problems(), `${key} as a ${wrong}`).toEqual(problems);
        expect(await bench.problems(true)).toEqual(expect.arrayContaining(problems));
        expect(await bench.problems(), `${key} after its repair`).toEqual([]);
        const left = await redis.keys(`${ns}*`);
        if (left.length > 0) await redis.del(left);
        for (const [each, dump] of dumps) await redis.restore(each, 0, dump);
      }
    }
    expect(await bench.problems()).toEqual([]);
  }, 120_000);
});

const CALLS: [CommandName, ...(string | number)[]][] = [
  ["put", "w", "q", "new", "klass", "{}", 0, "tags", '["x"]', "source", "s", "unique", "key"],
  ["put", "w", "q", "first", "klass", "{}", 0],
  ["put.many", "w", "q", "more", "klass", "{}", 0, 0],
  ["pop", "q", "w", 10],
  ["finish", "w", 1, '["q"]', "complete", "running", 1, 0],
  ["heartbeat", "running", "w"],
  ["wait", "idler", 10, "q"],
  ["tick"],
  ["get", "first"],
  ["peek", "q", 10],
  ["queues"],
  ["stats", "q", 0],
  ["workers"],
  ["workers", "w"],
  ["track"],
  ["failed"],
  ["failed", "group"],
  ["failures"],
  ["search", "0", 10],
  ["tag", "top"],
  ["tag", "get", "x"],
  ["recur.get", "r"],
  ["cron.list"],
  ["cron.due"],
  ["explain", "first"],
  ["cancel", "waiting"],
  ["timeout", "running"],
  ["complete", "running", "w", "q-running", "{}"],
  ["unique.get", "key"],
  ["dump", "0"],
];

test("no call ends in an error of Redis' own: it works, or the refusal names the key", async () => {
  const site = await open();
  const { bench, redis, ns } = site;
  await furnish(site);
  const keys = [ns, ...(await redis.keys(`${ns}:*`))].sort();
  const dumps = new Map<string, Buffer>();
  for (const key of keys) dumps.set(key, await redis.dumpBuffer(key));
  const types = new Map<string, string>();
  for (const key of keys) types.set(key, (await redis.type(key)).replace("zset", "sorted set"));
  let refusals = 0;
  for (const key of keys) {
    for (const [command, ...words] of CALLS) {
      await redis.set(key, "boo");
      const error = await bench.call(command, ...words).then(
        () => undefined,
        (thrown: { code?: string; message: string }) => thrown,
      );
      if (error?.code === "DAMAGED_KEY") {
        refusals += 1;
        expect(error.message, `${command} with ${key}`).toBe(
          `Key ${key} is a string, not a ${types.get(key)}: "qless check --repair" mends the namespace`,
        );
      } else if (error !== undefined) {
        expect(`${error.code} ${error.message}`, `${command} with ${key}`).toMatch(
          /^[A-Z]+_[A-Z_]+ /,
        );
      }
      await redis.del(await redis.keys(`${ns}*`));
      for (const [each, dump] of dumps) await redis.restore(each, 0, dump);
    }
  }
  expect(refusals).toBeGreaterThan(100);
}, 300_000);

describe.each(["functions", "scripts"] as const)("one damaged job (%s)", (mode) => {
  async function tenJobs(): Promise<Site> {
    const site = await open(mode);
    for (let i = 0; i < 10; i++) await site.bench.put("q", `x${i}`);
    return site;
  }
  const others = ["x0", "x1", "x2", "x4", "x5", "x6", "x7", "x8", "x9"];

  test("is skipped by pop, which hands out the others and announces it", async () => {
    const { bench, redis, ns } = await tenJobs();
    await redis.set(`${ns}:j:x3`, "boo");
    const heard = await bench.hearing(async () => {
      expect(jidsOf(await bench.pop("q", "w", 10))).toEqual(others);
    });
    expect(heard.map(({ message }) => message)).toContainEqual(expect.stringContaining("damaged"));
    expect(await redis.zcard(`${ns}:q:q-locks`)).toBe(9);
    await bench.problems(true);
    expect(await bench.problems()).toEqual([]);
  });

  test("is left out of lists", async () => {
    const { bench, redis, ns } = await tenJobs();
    await redis.set(`${ns}:j:x3`, "boo");
    const listed = async (command: CommandName, ...words: (string | number)[]) =>
      (await bench.json(command, ...words)).map(({ jid }: { jid: string }) => jid);
    expect(await listed("peek", "q", 10)).toEqual(others);
    expect(await listed("multiget", "x2", "x3", "x4")).toEqual(["x2", "x4"]);
    const found = await bench.json("search", "0", 10, "queue", "q");
    expect(found.jids.toSorted()).toEqual(others);
  });

  test("has its own refusal in finish, and the others end", async () => {
    const { bench, redis, ns } = await tenJobs();
    const jobs = await bench.pop("q", "w", 10);
    await redis.set(`${ns}:j:x3`, "boo");
    const outcomes = jobs.flatMap(({ jid, lease }) => ["complete", jid, lease, 0]);
    const reply = (await bench.call("finish", "w", 0, "[]", ...outcomes)) as string[];
    expect(reply.filter((answer) => answer === "complete")).toHaveLength(9);
    expect(reply[3]).toMatch(/^DAMAGED_KEY Key \S+:j:x3 is a string, not a hash: /);
  });

  test("does not stop housekeeping, nor the removal of old jobs", async () => {
    const { bench, redis, ns } = await tenJobs();
    for (let i = 0; i < 3; i++) await bench.put("d", `d${i}`, { delay: 10 });
    await bench.pop("q", "w", 10);
    await redis.set(`${ns}:j:x3`, "boo");
    await redis.set(`${ns}:j:d1`, "boo");
    bench.later(1000);
    expect(jidsOf(await bench.pop("d", "w", 10))).toEqual(["d0", "d2"]);
    await bench.pop("q", "other", 10);
    bench.later(1000);
    expect(jidsOf(await bench.pop("q", "other", 10))).toEqual(others);
    await bench.call("config.set", "jobs-history-count", 0);
    for (const jid of others) await bench.call("complete", jid, "other", "q", "{}");
    await bench.problems(true);
    expect(await bench.problems()).toEqual([]);
  });
});
