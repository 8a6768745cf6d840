import { expect, onTestFinished, test, vi } from "vitest";
import { Calls } from "../../src/client/calls.ts";
import { EngineClock } from "../../src/client/engine-clock.ts";
import { sleep } from "../worker/support.ts";

/** A clock of an engine whose time is as many milliseconds ahead as one says, and that answers late. */
function slowClock() {
  const engine = { ahead: 0, askedMs: 0, answeredMs: 0, asked: 0, isAway: false };
  const steps: number[] = [];
  const call = async () => {
    engine.asked += 1;
    if (engine.isAway) throw new Error("away");
    await sleep(engine.askedMs);
    const now = (Date.now() + engine.ahead) / 1000;
    await sleep(engine.answeredMs);
    return JSON.stringify({ now, due: [] });
  };
  const calls = new Calls({ namespace: "n", call, subscribe: undefined!, close: undefined! }, "me");
  const clock = new EngineClock(calls, () => steps.push(engine.ahead));
  const error = async () => Math.abs((await clock.now()) - (Date.now() + engine.ahead));
  return { engine, clock, steps, error };
}

test("The time is asked for once, and again when it is no longer believed", async () => {
  const { engine, clock, error } = slowClock();
  engine.ahead = 5000;
  expect(await error()).toBeLessThan(50);
  await Promise.all([clock.now(), clock.now()]);
  expect(engine.asked).toBe(1);
  const begun = performance.now();
  const later = vi.spyOn(performance, "now").mockImplementation(() => begun + 10_001);
  onTestFinished(() => later.mockRestore());
  await Promise.all([clock.now(), clock.now()]);
  expect(engine.asked).toBe(2);
});

test("An answer that comes late does not make the time worse than it was known", async () => {
  const { engine, clock, steps, error } = slowClock();
  expect(await error()).toBeLessThan(50);
  for (const late of ["askedMs", "answeredMs"] as const) {
    engine[late] = 400;
    await clock.ask();
    engine[late] = 0;
    expect(Math.abs(clock.estimate() - Date.now())).toBeLessThan(50);
  }
  expect(steps).toEqual([]);
});

test("An answer that comes late moves what a slow first answer left no further than it must", async () => {
  const { engine, clock, steps, error } = slowClock();
  engine.answeredMs = 40;
  expect(await error()).toBeLessThan(50);
  engine.answeredMs = 0;
  engine.askedMs = 400;
  await clock.ask();
  expect(Math.abs(clock.estimate() - Date.now())).toBeLessThan(50);
  expect(steps).toEqual([]);
});

test("Who asked to be told hears of a clock that was set, and not of the first answer", async () => {
  const { engine, clock, steps, error } = slowClock();
  engine.ahead = -60_000;
  await clock.ask();
  expect(steps).toEqual([]);
  engine.ahead = 60_000;
  for (let i = 0; i < 2; i++) await clock.ask();
  expect(await error()).toBeLessThan(50);
  expect(steps).toEqual([60_000]);
  expect(clock.here(Date.now() + 60_000) - performance.now()).toBeLessThan(50);
});

test("A question that fails leaves what was known, and the next asks again", async () => {
  const { engine, clock, error } = slowClock();
  await clock.ask();
  engine.isAway = true;
  await expect(clock.ask()).rejects.toThrow("away");
  expect(Math.abs(clock.estimate() - Date.now())).toBeLessThan(50);
  engine.isAway = false;
  engine.ahead = 60_000;
  await clock.ask();
  expect(await error()).toBeLessThan(50);
});

test("What was planned is checked a little later, once for all who planned, and not after the end", async () => {
  const { engine, clock, steps } = slowClock();
  await clock.ask();
  engine.ahead = 60_000;
  for (let i = 0; i < 3; i++) clock.checkSoon();
  await expect.poll(() => steps, { timeout: 2000 }).toEqual([60_000]);
  expect(engine.asked).toBe(2);
  engine.isAway = true;
  clock.checkSoon();
  await expect.poll(() => engine.asked, { timeout: 2000 }).toBe(3);
  clock.checkSoon();
  clock.stop();
  clock.checkSoon();
  await sleep(600);
  expect(engine.asked).toBe(3);
});
