import { expect, test } from "vitest";
import type { Announcement } from "../../src/engine.ts";
import { type Act, everyHand } from "../damage.ts";
import { popped } from "../engines.ts";
import { dumped, type Told } from "./carrying.ts";

/**
 * A worker with one job at a time ends the last and takes the next by a short way. Whoever asks a
 * second queue besides goes the long way, and must come to the same, to the byte.
 */

interface Turn {
  what: string;
  /** What happens while the worker runs its job. */
  meanwhile: Act;
  /** What finish answers: how the run ended, and the jids of the jobs that come with it. */
  answers: string[];
}

const nothing: Act = async () => {};
const call =
  (...[command, ...args]: Parameters<Parameters<Act>[0]["call"]>): Act =>
  (bench) =>
    bench.call(command, ...args);

const TURNS: Turn[] = [
  { what: "another job waits", meanwhile: nothing, answers: ["complete", "b"] },
  {
    what: "time goes by",
    meanwhile: async (bench) => bench.later(0.2),
    answers: ["complete", "b"],
  },
  {
    what: "seconds go by",
    meanwhile: async (bench) => bench.later(5),
    answers: ["complete", "b"],
  },
  {
    what: "no other job waits",
    meanwhile: async (bench) => {
      for (const jid of ["b", "c"]) await bench.call("cancel", jid);
    },
    answers: ["complete"],
  },
  {
    what: "the next job is nowhere but in the queue",
    meanwhile: (_, hands) => hands.remove("j:b"),
    answers: ["complete", "c"],
  },
  {
    what: "all that wait are nowhere but in the queue",
    meanwhile: async (_, hands) => {
      for (const jid of ["b", "c"]) await hands.remove(`j:${jid}`);
    },
    answers: ["complete"],
  },
  { what: "the queue is paused", meanwhile: call("pause", "q"), answers: ["complete"] },
  {
    what: "a pause is over",
    meanwhile: async (bench) => {
      await bench.call("queue.pause", "q", "until", bench.now + 3);
      bench.later(4);
    },
    answers: ["complete", "b"],
  },
  {
    what: "the queue has a heartbeat of its own",
    meanwhile: call("config.set", "q-heartbeat", 7),
    answers: ["complete", "b"],
  },
  {
    what: "the queue is full",
    meanwhile: async (bench) => {
      await bench.call("config.set", "q-max-concurrency", 1);
      await bench.pop("q", "other");
    },
    answers: ["complete", "b"],
  },
  {
    what: "the highest priority comes first",
    meanwhile: async (bench) => {
      await bench.call("config.set", "priority-order", "highest-first");
      await bench.put("q", "d", { priority: 7 });
    },
    answers: ["complete", "d"],
  },
  {
    what: "no completed job is kept",
    meanwhile: call("config.set", "jobs-history-count", 0),
    answers: ["complete", "b"],
  },
  {
    what: "jobs keep one entry of history",
    meanwhile: call("config.set", "max-job-history", 1),
    answers: ["complete", "b"],
  },
  {
    what: "a job is due",
    meanwhile: async (bench) => {
      await bench.put("q", "d", { delay: 0.2, priority: -1 });
      bench.later(0.3);
    },
    answers: ["complete", "d"],
  },
  {
    what: "the lock of another worker has expired, whose grace begins",
    meanwhile: async (bench) => {
      await bench.pop("q", "dead");
      bench.later(80);
    },
    answers: ["complete", "c"],
  },
  {
    what: "its own lock has expired",
    meanwhile: async (b) => b.later(65),
    answers: ["complete", "b"],
  },
  {
    what: "the job is tracked",
    meanwhile: call("track", "track", "a"),
    answers: ["complete", "b"],
  },
  {
    what: "another job waits for it",
    meanwhile: async (bench) => bench.put("q", "d", { depends: ["a"], priority: -1 }),
    answers: ["complete", "d"],
  },
  {
    what: "the next job has more to tell",
    meanwhile: async (bench) =>
      bench.put("q", "d", { priority: -1, tags: ["x"], context: '{"c":1}', cutoff: 9 }),
    answers: ["complete", "d"],
  },
  {
    what: "the next job was tried before",
    meanwhile: async (bench) => {
      await bench.call("cancel", "c");
      const [job] = await bench.pop("q", "other");
      await bench.call("finish", "other", 0, "[]", "retry", job!.jid, job!.lease, 0);
    },
    answers: ["complete", "b"],
  },
  {
    what: "the worker was told off",
    meanwhile: call("worker.deregister", "w"),
    answers: ["complete", "b"],
  },
  { what: "it was canceled", meanwhile: call("cancel", "a"), answers: ["NO_SUCH_JOB", "b"] },
  {
    what: "it was given to another",
    meanwhile: async (bench) => {
      await bench.call("timeout", "a");
      await bench.put("q", "a", { priority: -9 });
      await bench.pop("q", "other");
    },
    answers: ["LOCK_LOST", "b"],
  },
];

/** What finish answers, what is heard of it, and all that is kept after it. */
interface Outcome {
  reply: string[];
  heard: Announcement[];
  kept: Told[];
}

everyHand("finish by the short way", (open) => {
  test("sees to it that a lock is looked at when it expires, though those before lasted longer", async () => {
    const { bench } = await open();
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    await bench.call("config.set", "heartbeat", 600);
    const [job] = await bench.pop("q", "w");
    await bench.call("config.unset", "heartbeat");
    await bench.call("finish", "w", 1, '["q"]', "complete", "a", job!.lease, 0);
    bench.later(61);
    expect(await bench.pop("q", "other")).toEqual([]);
    bench.later(11);
    expect(await bench.pop("q", "other")).toMatchObject([{ jid: "b" }]);
  });

  /** Has a worker end a job when something has happened, and ask these queues for another. */
  async function outcome({ meanwhile }: Turn, queues: string): Promise<Outcome> {
    const { bench, hands } = await open();
    for (const jid of ["a", "b", "c"]) await bench.later(0.1).put("q", jid);
    await bench.pop("none", "w");
    const [job] = await bench.pop("q", "w");
    await meanwhile(bench, hands);
    let reply: string[] = [];
    const heard = await bench.hearing(async () => {
      const words = ["complete", "a", job!.lease, 0];
      reply = (await bench.call("finish", "w", 1, queues, ...words)) as string[];
    });
    const kept = await dumped(bench);
    return { reply, heard, kept: kept.filter(([key]) => key !== "queue:none") };
  }

  test.each(TURNS)("comes to the same as by the long one when $what", async (turn) => {
    const short = await outcome(turn, '["q"]');
    expect(short.reply.map((told) => told.split(/[\t ]/)[0])).toEqual(turn.answers);
    const long = await outcome(turn, '["q","none"]');
    expect(short).toEqual(long);
  });

  test("counts runs, and removes completed jobs that are too old", async () => {
    const { bench } = await open();
    await bench.put("q", "old");
    const [old] = await bench.pop("q", "w");
    await bench.call("finish", "w", 0, "[]", "complete", "old", old!.lease, 0);
    bench.later(604_801);
    const jids = Array.from({ length: 200 }, (_, i) => `job-${i}`);
    for (const jid of jids) await bench.put("q", jid);
    let [job] = await bench.pop("q", "w");
    for (const _ of jids) {
      const words = ["complete", job!.jid, job!.lease, 0];
      bench.later(0.001);
      const [answer, ...next] = (await bench.call("finish", "w", 1, '["q"]', ...words)) as string[];
      expect(answer).toBe("complete");
      [job] = popped(next);
    }
    expect(job).toBeUndefined();
    expect(await bench.json("get", "old")).toBeNull();
    expect((await bench.json("stats", "q", bench.now)).run).toMatchObject({ count: 200 });
    expect(await bench.problems()).toEqual([]);
  });
});
