import { Agent } from "node:http";
import { expect, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import type { Engine } from "../../src/engine.ts";
import { Chance, fire, fireRaw, shotAt, TARGETS } from "./fuzz.ts";
import { prepare } from "./samples.ts";
import { type Bench, everyServer } from "./support.ts";

const RUNS = Number(process.env.FUZZ_RUNS ?? 5000);
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Of a hundred, how many are bytes that are hardly a request. */
const RAW_OF_100 = 8;

const STACK = /\bat .+:\d+:\d+|node:internal|node_modules|\.ts:\d+/;

/** A client by whose clock it is always `now`: what the time changes by itself is no change. */
function clientAt({ client: { engine } }: Bench, now: number): Client {
  const call: Engine["call"] = (command, args, options) =>
    engine.call(command, args, { ...options, now });
  return new Client({ ...engine, call, subscribe: engine.subscribe, close: engine.close });
}

/** What a refused request must leave as it is. */
async function contentsAt(bench: Bench, now: number): Promise<string> {
  const client = clientAt(bench, now);
  const parts = await Promise.all([
    client.queues(),
    client.config.all(),
    client.failures.groups().then((groups) => [...groups]),
    client.completed({ count: 1000 }),
    client.schedules.list({ count: 1000 }),
    client.topTags(),
    client.holderOf("key"),
  ]);
  return JSON.stringify(parts);
}

/** Resolves when no operation runs any more. */
async function quiet(bench: Bench): Promise<void> {
  const running = async () => {
    const { body } = await bench.get("/api/v1/operations");
    const { operations } = body as { operations: { state: string }[] };
    return operations.filter(({ state }) => state === "running");
  };
  await expect.poll(running, { timeout: 30_000, interval: 5 }).toEqual([]);
}

/** Many of these wait for one who never goes on, so they are let to do so together. */
async function settled(raw: Promise<string>[]): Promise<void> {
  for (const text of await Promise.all(raw)) {
    expect(text.slice(0, 12), text).not.toMatch(/^HTTP\/1\.1 5/);
    expect(text).not.toMatch(STACK);
  }
}

everyServer("requests that nobody would make", (open) => {
  test(`never break the server, and change nothing when they are refused (seed ${SEED})`, async () => {
    const errors: unknown[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (f: object) => errors.push(f),
    };
    const bench = await open({ logger });
    const prepared = await prepare(bench.client);
    const chance = new Chance(SEED);
    const agent = new Agent({ keepAlive: true });
    await bench.get("/metrics");
    const before = process.memoryUsage.rss();
    const raw: Promise<string>[] = [];
    let refused = 0;
    for (let i = 0; i < RUNS / 2; i++) {
      if (i > 0 && i % 5000 === 0) console.info(`${i} of ${RUNS / 2} requests, seed ${SEED}`);
      if (chance.below(100) < RAW_OF_100) {
        raw.push(fireRaw(bench, chance));
        if (raw.length >= 50) await settled(raw.splice(0));
        continue;
      }
      const shot = shotAt(chance, chance.of(TARGETS), prepared);
      const shown = `run ${i}: ${shot.route.method} ${shot.path} ${shot.body?.slice(0, 500)}`;
      const now = Date.now();
      const contents = shot.route.acts ? await contentsAt(bench, now) : "";
      const hit = await fire(bench, agent, shot);
      expect(hit.status, `${shown} -> ${hit.text}`).toBeLessThan(500);
      expect(hit.text, shown).not.toMatch(STACK);
      expect(hit.sniff, shown).toBe("nosniff");
      // What goes on after the answer would be in the way of the next: it has to come to its end.
      if (hit.text.includes('"state":"running"')) await quiet(bench);
      if (hit.status < 400) continue;
      refused += 1;
      expect(hit.type, shown).toBe("application/json; charset=utf-8");
      const { error } = JSON.parse(hit.text);
      const sentence = typeof error === "string" ? error : error.message;
      expect(sentence, shown).toMatch(/^[^\n]{5,600}$/);
      if (shot.route.acts)
        expect(await contentsAt(bench, now), `${shown} -> ${hit.text}`).toBe(contents);
    }
    await settled(raw);
    agent.destroy();
    expect(errors).toEqual([]);
    expect(refused).toBeGreaterThan(RUNS / 8);
    expect(process.memoryUsage.rss() - before).toBeLessThan(200e6);
    expect((await bench.get("/healthz")).status).toBe(200);
  }, 3_600_000);
});
