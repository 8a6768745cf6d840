import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FOREVER_MS, sleep, startInterval, startTimer, timeoutSignal } from "../src/timers.ts";

const DAY_MS = 86_400_000;
const LONG_MS = 30 * DAY_MS;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe.each([
  ["an hour", 3_600_000],
  ["30 days", LONG_MS],
  ["a year", 365 * DAY_MS],
])("a timer for %s", (_, ms) => {
  test("fires once, at its end", () => {
    const fired = vi.fn();
    startTimer(fired, ms);
    vi.advanceTimersByTime(ms - 100);
    expect(fired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(200);
    vi.advanceTimersByTime(3 * ms);
    expect(fired).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("never fires once it is cleared", () => {
    const fired = vi.fn();
    const timer = startTimer(fired, ms);
    vi.advanceTimersByTime(ms - 100);
    clearTimeout(timer);
    vi.advanceTimersByTime(ms);
    expect(fired).not.toHaveBeenCalled();
  });

  test("repeats as an interval", () => {
    const fired = vi.fn();
    const timer = startInterval(fired, ms);
    vi.advanceTimersByTime(3 * ms + 100);
    expect(fired).toHaveBeenCalledTimes(3);
    clearInterval(timer);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("sleeps", async () => {
    const woken = vi.fn();
    void sleep(ms).then(woken);
    await vi.advanceTimersByTimeAsync(ms - 100);
    expect(woken).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect(woken).toHaveBeenCalledTimes(1);
  });

  test("aborts a signal", () => {
    const signal = timeoutSignal(ms);
    vi.advanceTimersByTime(ms - 100);
    expect(signal.aborted).toBe(false);
    vi.advanceTimersByTime(200);
    expect(signal.reason).toMatchObject({ name: "TimeoutError" });
  });
});

test("A timer without an end does not fire within a thousand years", () => {
  const fired = vi.fn();
  const timer = startTimer(fired, FOREVER_MS);
  const endless = startTimer(fired, Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(365_000 * DAY_MS);
  expect(fired).not.toHaveBeenCalled();
  clearTimeout(timer);
  clearTimeout(endless);
});

test("A sleep ends when its signal is aborted, and leaves nothing behind", async () => {
  const control = new AbortController();
  const sleeping = sleep(LONG_MS, control.signal);
  control.abort(new Error("enough"));
  await expect(sleeping).rejects.toThrow("enough");
  await expect(sleep(1, control.signal)).rejects.toThrow("enough");
  expect(vi.getTimerCount()).toBe(0);
});
