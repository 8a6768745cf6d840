import { expect, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import type { Engine } from "../../src/engine.ts";
import { everyClient } from "../client/every-client.ts";
import { workerOf } from "./support.ts";

/** An answer waits so long for another to come with it, in milliseconds. */
const PATIENCE_MS = 200;

/**
 * Another client on the same engine, whose answers to finish come two at a time, as from a server
 * that has read both calls at once. It tells how many jobs each of those calls ends.
 */
function paired({ engine }: Client, called: (jobs: number) => void, isInThread: boolean): Client {
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
  return new Client({
    namespace: engine.namespace,
    isInThread,
    call: async (command, args, options) => {
      if (command !== "finish") return engine.call(command, args, options);
      called(args.filter((word) => word === "complete").length);
      const answer = await engine.call(command, args, options);
      if (!isInThread) await another();
      return answer;
    },
    subscribe: (listener, options) => engine.subscribe(listener, options),
    close: async () => {},
  });
}

everyClient("calls that end jobs", (open, place) => {
  /**
   * What a worker does that runs so many at a time: a number for a call that ends so many jobs, a
   * dash for a job that begins, which is when the answer that brought it is read.
   */
  async function course(
    concurrency: number,
    jobs: number,
    judge: (engine: Engine) => boolean = () => false,
  ): Promise<(number | "-")[]> {
    const all: (number | "-")[] = [];
    const called = (ended: number) => {
      if (ended > 0) all.push(ended);
    };
    const own = await open();
    const client = paired(own, called, judge(own.engine));
    await client.queue("q").putMany(Array.from({ length: jobs }, () => ({ klass: "k", data: {} })));
    const worker = workerOf(client, { concurrency }).handle("k", () => void all.push("-"));
    await worker.start();
    expect(await worker.drain({ timeout: "10s" })).toMatchObject({ isEmpty: true });
    return all;
  }

  const sizes = (all: (number | "-")[]) => all.filter((one) => one !== "-");

  test("stay two where both are answered at once, so that each overlaps the other", async () => {
    expect(sizes(await course(10, 60))).toEqual(Array.from({ length: 12 }, () => 5));
  });

  test("are halves of what there are hands for, however many there are", async () => {
    expect(sizes(await course(20, 120))).toEqual(Array.from({ length: 12 }, () => 10));
  });

  test("leave before the next answer is looked at, so that the server can begin", async () => {
    const all = await course(10, 30);
    const five = ["-", "-", "-", "-", "-"];
    expect(all).toEqual(Array.from({ length: 6 }, () => [...five, 5]).flat());
  });

  test("are one over SQLite, where nothing is done beside a call and each is written to the disk", async () => {
    const all = await course(10, 60, ({ isInThread }) => isInThread === true);
    const expected = place === "sqlite" ? 10 : 5;
    expect(sizes(all)).toEqual(Array.from({ length: 60 / expected }, () => expected));
  });

  test("are one where there are too few jobs for two", async () => {
    expect(sizes(await course(6, 24))).toEqual([6, 6, 6, 6]);
  });
});
