import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Calls } from "../../src/client/calls.ts";
import { EngineClock } from "../../src/client/engine-clock.ts";
import { Upkeep } from "../../src/client/upkeep.ts";
import type { Announcement } from "../../src/engine.ts";

/** When upkeep does its rounds, on a clock that the test moves. */

beforeEach(() => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What an engine has to do, and the upkeep of it. Each call takes 5 ms. */
function kept() {
  const engine = {
    /** When something is due, in milliseconds; undefined for nothing. */
    due: undefined as number | undefined,
    /** The next tick of a schedule, and how long it is until the one after. */
    tick: undefined as number | undefined,
    every: 1000,
    rounds: [] as number[],
    fired: [] as number[],
    failed: [] as unknown[],
    listener: (_: Announcement): void => {},
    announce: (at: number) =>
      engine.listener({
        channel: "tick",
        message: JSON.stringify({ event: "tick", at: at / 1000 }),
      }),
  };
  const call = async () => JSON.stringify({ now: Date.now() / 1000 });
  const subscribe = async (listener: (announcement: Announcement) => void) => {
    engine.listener = listener;
    return async () => {};
  };
  const clock = new EngineClock(
    new Calls({ namespace: "n", call, subscribe, close: async () => {} }, "me"),
  );
  const passing = <Value>(value: () => Value) =>
    new Promise<Value>((resolve) => setTimeout(() => resolve(value()), 5));
  const tick = () => {
    engine.rounds.push(Date.now());
    const times = [engine.due, engine.tick].filter((time) => time !== undefined);
    const next = times.length === 0 ? undefined : new Date(Math.min(...times));
    return passing(() => ({ more: false, next }));
  };
  /** Fires the latest tick, as a schedule that makes up for one missed run does. */
  const fire = () =>
    passing(() => {
      const now = Date.now();
      while (engine.tick !== undefined && engine.tick <= now) {
        if (engine.tick + engine.every > now) engine.fired.push(engine.tick);
        engine.tick += engine.every;
      }
      return {
        put: [],
        next: engine.tick === undefined ? undefined : new Date(engine.tick),
        failure: undefined,
      };
    });
  const client = { engine: { subscribe }, maintenance: { tick } as never, schedules: { fire } };
  const upkeep = new Upkeep({
    ...{ client, clock, roundMs: 20_000, againMs: 7000 },
    failed: (error) => engine.failed.push(error),
  });
  return { engine, upkeep, clock };
}

/** Starts it and lets its first round pass. */
async function started() {
  const all = kept();
  all.upkeep.start();
  await vi.advanceTimersByTimeAsync(1100);
  expect(all.engine.rounds).toHaveLength(1);
  return all;
}

test("No tick of a schedule of every second is lost where one process fires alone", async () => {
  const { engine, upkeep } = await started();
  const first = Math.ceil(Date.now() / 1000) * 1000;
  engine.tick = first;
  engine.announce(first);
  await vi.advanceTimersByTimeAsync(1_000_000);
  const all = Array.from({ length: engine.fired.length }, (_, i) => first + i * 1000);
  expect(engine.fired).toEqual(all);
  expect(all.length).toBeGreaterThanOrEqual(999);
  // One round for each tick, and not more.
  expect(engine.rounds.length).toBeLessThanOrEqual(1010);
  await upkeep.stop();
});

test("A round that is announced begins within a quarter of a second of its time", async () => {
  const { engine, upkeep } = await started();
  const at = Date.now() + 5000;
  engine.announce(at);
  await vi.advanceTimersByTimeAsync(4990);
  expect(engine.rounds).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(270);
  expect(engine.rounds).toHaveLength(2);
  engine.announce(0);
  await vi.advanceTimersByTimeAsync(460);
  expect(engine.rounds).toHaveLength(3);
  await upkeep.stop();
});

test("However much is announced, rounds follow each other in some distance", async () => {
  const { engine, upkeep } = await started();
  for (let i = 0; i < 1000; i++) {
    engine.announce(Date.now());
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(engine.rounds.length).toBeLessThanOrEqual(60);
  const begun = engine.rounds.length;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(engine.rounds.length).toBeLessThanOrEqual(begun + 2);
  await upkeep.stop();
});

test("Where nothing is due there is a round every 20 seconds or so", async () => {
  const { engine, upkeep } = await started();
  await vi.advanceTimersByTimeAsync(200_000);
  expect(engine.rounds.length).toBeGreaterThanOrEqual(8);
  expect(engine.rounds.length).toBeLessThanOrEqual(13);
  await upkeep.stop();
  const { length } = engine.rounds;
  await vi.advanceTimersByTimeAsync(100_000);
  expect(engine.rounds).toHaveLength(length);
});

test("Where something is due all the time there is a round every second or so", async () => {
  const { engine, upkeep } = await started();
  engine.due = Date.now();
  engine.announce(0);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(engine.rounds.length).toBeGreaterThanOrEqual(15);
  expect(engine.rounds.length).toBeLessThanOrEqual(22);
  await upkeep.stop();
});

test("A clock that was set, and announcements that were missed, bring a round", async () => {
  const { engine, upkeep, clock } = await started();
  vi.setSystemTime(Date.now() - 300_000);
  await clock.ask();
  await vi.advanceTimersByTimeAsync(460);
  expect(engine.rounds).toHaveLength(2);
  engine.listener({ channel: "", message: "" });
  await vi.advanceTimersByTimeAsync(460);
  expect(engine.rounds).toHaveLength(3);
  expect(engine.failed).toEqual([]);
  await upkeep.stop();
});

test("Text that is no announcement of ours is taken for one without a time", async () => {
  const { engine, upkeep } = await started();
  for (const message of ["", "null", "[]", '{"at":"x"}', "{"]) {
    engine.listener({ channel: "tick", message });
  }
  await vi.advanceTimersByTimeAsync(460);
  expect(engine.rounds).toHaveLength(2);
  await upkeep.stop();
});
