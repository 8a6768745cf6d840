import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { RedisEngine, type RedisEngineOptions } from "../../src/redis/engine.ts";
import { popped } from "../engines.ts";
import { moveSlot, startCluster, type TestCluster } from "./cluster.ts";

/** A namespace moves from node to node while jobs are put and run: no command may be torn. */

/** `SLOT_MOVES=20` for a longer run. */
const MOVES = Number(process.env.SLOT_MOVES ?? 2);
const KEYS = 400;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster(3);
});
afterAll(() => cluster.stop());

async function opened(options: RedisEngineOptions): Promise<RedisEngine> {
  const engine = await RedisEngine.open(cluster.servers[0]!.url, {
    onWarning: () => {},
    timeoutMs: 30_000,
    ...options,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/** What the producers and workers of a test have done. */
interface Load {
  put: Set<string>;
  completed: Map<string, number>;
  errors: unknown[];
  stop(): Promise<void>;
}

/** Two producers and two workers, each with one call at a time, until they are stopped. */
function begin(engine: RedisEngine): Load {
  let running = true;
  const [put, completed, errors] = [new Set<string>(), new Map<string, number>(), [] as unknown[]];
  const loop = async (step: (n: number) => Promise<void>) => {
    for (let n = 0; running; n++) {
      await step(n).catch((error) => errors.push(error));
      await pause(1);
    }
  };
  const producer = (name: string) =>
    loop(async (n) => {
      const jid = `${name}-${n}`;
      await engine.call("put", [name, "q", jid, "k", "{}", 0], { request: `put-${jid}` });
      put.add(jid);
    });
  const worker = (name: string) =>
    loop(async (n) => {
      const reply = await engine.call("pop", ["q", name, 2], { request: `${name}-${n}` });
      for (const { jid, lease } of popped(reply)) {
        const words = [jid, name, "q", "{}", "lease", lease];
        await engine.call("complete", words, { request: `end-${jid}-${lease}` });
        completed.set(jid, (completed.get(jid) ?? 0) + 1);
      }
    });
  const loops = [producer("p1"), producer("p2"), worker("w1"), worker("w2")];
  const stop = async () => {
    running = false;
    await Promise.all(loops);
  };
  return { put, completed, errors, stop };
}

/** What `check` finds in the whole namespace. */
async function problemsIn(engine: RedisEngine): Promise<unknown[]> {
  const problems: unknown[] = [];
  let cursor = "0";
  do {
    const page = JSON.parse(String(await engine.call("check", [cursor])));
    problems.push(...page.problems);
    cursor = page.cursor;
  } while (cursor !== "0");
  return problems;
}

describe.each(["functions", "scripts"] as const)("a slot that moves under load (%s)", (mode) => {
  test(
    "fails no call, loses no job and tears no command",
    async () => {
      const engine = await opened({ namespace: mode, mode });
      for (let i = 0; i < KEYS; i++) await engine.call("put", ["p", "later", `${i}`, "k", "{}", 0]);
      const load = begin(engine);
      for (let i = 0; i < MOVES; i++) {
        await pause(100);
        await moveSlot(cluster, engine.namespace, { pipe: 10, pauseMs: 2 });
      }
      await load.stop();
      expect(load.errors).toEqual([]);
      expect(load.put.size).toBeGreaterThan(0);
      expect([...load.completed.values()].filter((times) => times > 1)).toEqual([]);
      const jobs = await Promise.all([...load.put].map((jid) => engine.call("get", [jid])));
      expect(jobs.filter((job) => job === false)).toEqual([]);
      expect(await problemsIn(engine)).toEqual([]);
    },
    30_000 + MOVES * 10_000,
  );
});
