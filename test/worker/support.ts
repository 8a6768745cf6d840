import { onTestFinished } from "vitest";
import { Client } from "../../src/client/client.ts";
import type { Logger } from "../../src/client/observing.ts";
import { type Duration, milliseconds } from "../../src/client/times.ts";
import type { WorkerOptions } from "../../src/worker/options.ts";
import { Worker } from "../../src/worker/worker.ts";

/** A worker that the test need not stop. */
export function workerOf(client: Client, options: Partial<WorkerOptions> = {}): Worker {
  const worker = new Worker(client, { queues: "q", concurrency: 3, ...options });
  onTestFinished(async () => {
    await worker.stop({ grace: 0 });
  });
  return worker;
}

/** Another client on the same engine, whose calls are made at a time that the test moves. */
export function timed({ engine }: Client, start = Date.now()) {
  let now = start;
  const client = new Client({
    namespace: engine.namespace,
    call: (command, args, options) => engine.call(command, args, { ...options, now }),
    subscribe: (listener, options) => engine.subscribe(listener, options),
    close: async () => {},
  });
  const advance = (by: Duration) => {
    now += milliseconds(by, "by");
  };
  return { client, advance, now: () => now };
}

/** Another client on the same engine, whose clock goes on, and can be set by so many milliseconds. */
export function clocked({ engine }: Client) {
  let ahead = 0;
  const calls = new Map<string, number>();
  const client = new Client({
    namespace: engine.namespace,
    call: (command, args, options) => {
      calls.set(command, (calls.get(command) ?? 0) + 1);
      return engine.call(command, args, { ...options, now: Date.now() + ahead });
    },
    subscribe: (listener, options) => engine.subscribe(listener, options),
    close: async () => {},
  });
  const set = (ms: number) => {
    ahead += ms;
  };
  return { client, set, calls };
}

/** A promise, and what settles it. */
export function deferred<Value = void>() {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Resolves when the signal is aborted, with its reason. */
export const aborted = (signal: AbortSignal) =>
  new Promise<{ code: string }>((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener("abort", () => resolve(signal.reason));
  });

/** A logger, and the sentences that it was told, by level. */
export function listening(): { logger: Logger; told: Record<keyof Logger, string[]> } {
  const told = { debug: [], info: [], warn: [], error: [] } as Record<keyof Logger, string[]>;
  const at = (level: keyof Logger) => (_: object, sentence: string) => {
    told[level].push(sentence);
  };
  const logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { logger, told };
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
