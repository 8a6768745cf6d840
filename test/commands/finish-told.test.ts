import { expect, test } from "vitest";
import { type Bench, everyEngine } from "../engines.ts";

/**
 * The state of most running jobs tells that there is no more to know of them, with their queue as
 * far as there is room for it; so names of all lengths are tried.
 */
const WORKERS = ["w", "w".repeat(26), "w".repeat(29), "w".repeat(60), "é".repeat(13)];
const QUEUES = ["q", "queue-with-a-long-name", "q".repeat(200)];
const NAMES = WORKERS.flatMap((worker) => QUEUES.map((queue) => ({ worker, queue })));

type Names = (typeof NAMES)[number];

/** For names of all lengths, takes a job, has something said of it, completes it and looks at it. */
async function runEach(
  bench: Bench,
  say: (jid: string, names: Names) => Promise<unknown>,
  look: (jid: string) => Promise<unknown>,
): Promise<void> {
  for (const [i, { worker, queue }] of NAMES.entries()) {
    const jid = `job-${i}`;
    await bench.put(queue, jid);
    const [job] = await bench.pop(queue, worker);
    await say(jid, { worker, queue });
    bench.later(3);
    const words = ["complete", jid, job!.lease, 0];
    expect(await bench.call("finish", worker, 0, "[]", ...words)).toEqual(["complete"]);
    expect(await bench.json("queues", queue)).toMatchObject({ running: 0, stalled: 0 });
    await look(jid);
  }
}

everyEngine("finish", (open) => {
  test("knows the queue of a job of which nobody spoke, and how long it ran", async () => {
    const bench = await open();
    const look = async (jid: string) =>
      expect(await bench.json("get", jid)).toMatchObject({ state: "complete", remaining: 5 });
    await runEach(bench, async () => {}, look);
    for (const queue of QUEUES) {
      const { run } = await bench.json("stats", queue, bench.now);
      expect(run).toMatchObject({ count: WORKERS.length, mean: 3 });
    }
  });

  test("lets go of those who began to wait for the job while it ran", async () => {
    const bench = await open();
    const wait = (jid: string) => bench.put("later", `${jid}-after`, { depends: [jid] });
    const look = async (jid: string) =>
      expect((await bench.json("get", `${jid}-after`)).state).toBe("waiting");
    await runEach(bench, wait, look);
  });

  test("keeps what was said of the job while it ran", async () => {
    const bench = await open();
    const say = async (jid: string) => {
      await bench.call("tag", "add", jid, "red");
      await bench.call("priority", jid, -3);
      await bench.call("track", "track", jid);
      await bench.call("log", jid, "half way");
    };
    const look = async (jid: string) =>
      expect(await bench.json("get", jid)).toMatchObject({
        ...{ tags: ["red"], priority: -3, tracked: true, state: "complete" },
        history: [{ what: "put" }, { what: "popped" }, { what: "half way" }, { what: "done" }],
      });
    await runEach(bench, say, look);
  });
});
