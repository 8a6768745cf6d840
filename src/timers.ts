/** The longest delay of a Node timer, about 24.8 days. Node fires longer ones after 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** For a wait without an end, in milliseconds: 285,000 years. */
export const FOREVER_MS = Number.MAX_SAFE_INTEGER;

/**
 * Like `setTimeout`, for a delay of any length in milliseconds. Durations come from users, so the
 * timers in this file are the only ones that the server side of qless may start.
 */
export function startTimer(action: () => void, ms: number): NodeJS.Timeout {
  return ms <= MAX_TIMER_MS ? setTimeout(action, ms) : startLong(action, ms, true);
}

/** Like `setInterval`, for a period of any length in milliseconds. */
export function startInterval(action: () => void, ms: number): NodeJS.Timeout {
  return ms <= MAX_TIMER_MS ? setInterval(action, ms) : startLong(action, ms, false);
}

/** Resolves after any number of milliseconds; rejects when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = startTimer(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Like `AbortSignal.timeout`, for any number of milliseconds. It does not keep the process alive. */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const reason = () => new DOMException(`${ms} ms are over`, "TimeoutError");
  startTimer(() => controller.abort(reason()), ms).unref();
  return controller.signal;
}

/** Divides the delay into equal parts that a timer can take, so that one handle clears all of it. */
function startLong(action: () => void, ms: number, isOnce: boolean): NodeJS.Timeout {
  const parts = Math.ceil(Math.min(ms, FOREVER_MS) / MAX_TIMER_MS);
  let left = parts;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    left = parts;
    if (isOnce) clearInterval(timer);
    action();
  }, Math.min(ms, FOREVER_MS) / parts);
  return timer;
}
