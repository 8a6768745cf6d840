import type { Logger } from "./observing.ts";

/** Errors in code of the user's own that runs where no caller could catch them. */

/** Reports such an error to the logger, or on the standard error if there is none. It never throws. */
export function report(logger: Logger | undefined, err: unknown, sentence: string): void {
  if (logger === undefined) print(sentence, err);
  else logger.error({ err }, sentence);
}

function print(sentence: string, err: unknown): void {
  try {
    console.error(`qless: ${sentence}`, err);
  } catch {
    // The error itself cannot be shown, such as a revoked proxy.
    console.error(`qless: ${sentence}`);
  }
}

/** Calls a function of the user's. `failed` receives what it throws, or what its promise rejects with. */
export function attempt(call: () => unknown, failed: (error: unknown) => void): void {
  try {
    const value = call();
    if (value === undefined || value === null) return;
    if (typeof (value as PromiseLike<unknown>).then === "function") {
      Promise.resolve(value as PromiseLike<unknown>).then(undefined, failed);
    }
  } catch (error) {
    failed(error);
  }
}

/** The same logger, except that it never throws: a log that is broken must not end a run. */
export function steady(logger: Logger): Logger {
  let isReported = false;
  const failed = (error: unknown) => {
    if (isReported) return;
    isReported = true;
    print("The logger threw an error; further errors of it are not reported", error);
  };
  const at = (level: keyof Logger) => (facts: object, sentence: string) => {
    try {
      logger[level](facts, sentence);
    } catch (error) {
      failed(error);
    }
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
