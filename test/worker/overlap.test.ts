import { expect, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { everyClient } from "../client/every-client.ts";
import { workerOf } from "./support.ts";

/** An answer waits so long for another to come with it, in milliseconds. */
const PATIENCE_MS = 200;

/**
 * Another client on the same engine, whose answers to finish come two at a time, as from a server
 * that has read both calls at once; and how many jobs each of those calls was for.
 */
function paired({ engine }: Client): { client: Client; sizes: number[] } {
  const sizes: number[] = [];
  let held: (() => void)[] = [];
  const release = () => {
    for (const answer of held) answer();
    held = [];
  };
  const another = () =>
    new Promise<void>((resolve) => {
      held.push(resolve);
      if (held.length === 2) release();
      else setTimeout(release, PATIENCE_MS);
    });
  const client = new Client({
    namespace: engine.namespace,
    call: async (command, args, options) => {
      if (command !== "finish") return engine.call(command, args, options);
      sizes.push(args.filter((word) => word === "complete").length);
      const answer = await engine.call(command, args, options);
      await another();
      return answer;
    },
    subscribe: (listener, options) => engine.subscribe(listener, options),
    close: async () => {},
  });
  return { client, sizes };
}

everyClient("calls that end jobs", (open) => {
  /** How many of the jobs each call ended, of a worker that runs so many at a time. */
  async function endedBy(concurrency: number, jobs: number): Promise<number[]> {
    const { client, sizes } = paired(await open());
    await client.queue("q").putMany(Array.from({ length: jobs }, () => ({ klass: "k", data: {} })));
    const worker = workerOf(client, { concurrency }).handle("k", () => {});
    await worker.start();
    expect(await worker.drain({ timeout: "10s" })).toMatchObject({ isEmpty: true });
    return sizes.filter((size) => size > 0);
  }

  test("stay two where both are answered at once, so that each overlaps the other", async () => {
    expect(await endedBy(10, 60)).toEqual(Array.from({ length: 12 }, () => 5));
  });

  test("are one where there are too few jobs for two", async () => {
    expect(await endedBy(6, 24)).toEqual([6, 6, 6, 6]);
  });
});
