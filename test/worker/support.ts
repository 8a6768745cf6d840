import { onTestFinished } from "vitest";
import type { Client } from "../../src/client/client.ts";
import type { Logger } from "../../src/client/observing.ts";
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
