import { expect, test } from "vitest";
import { type Act, everyHand } from "../damage.ts";
import { popped } from "../engines.ts";
import { dumped } from "./carrying.ts";

/**
 * Runs of which nothing is said but that they are complete are ended by a short way. In a call that
 * says more of one of them all go the long way, and must come to the same, to the byte.
 */

interface Case {
  what: string;
  /** What happens while the worker runs jobs a and c of queue q and job b of queue r. */
  meanwhile: Act;
  /** The answer for each. */
  answers: string[];
  /** What is said of b's lease, in place of what it is. */
  lease?: number;
}

const ALL_COMPLETE = ["complete", "complete", "complete"];
/** Something of which more is said, and which changes nothing. */
const MORE = ["complete", "nobody", 1, 2, "data", "{}"];

const CASES: Case[] = [
  { what: "nothing happens", meanwhile: async () => {}, answers: ALL_COMPLETE },
  { what: "a moment goes by", meanwhile: async (b) => b.later(0.2), answers: ALL_COMPLETE },
  {
    what: "two completed jobs are kept",
    meanwhile: (bench) => bench.call("config.set", "jobs-history-count", 2),
    answers: ALL_COMPLETE,
  },
  {
    what: "two entries of history are kept",
    meanwhile: (bench) => bench.call("config.set", "max-job-history", 2),
    answers: ALL_COMPLETE,
  },
  {
    what: "one of them is tracked, and another waited for",
    meanwhile: async (bench) => {
      await bench.call("track", "track", "b");
      await bench.put("q", "d", { depends: ["c"] });
    },
    answers: ALL_COMPLETE,
  },
  {
    what: "one of them was canceled",
    meanwhile: (bench) => bench.call("cancel", "b"),
    answers: ["complete", "NO_SUCH_JOB", "complete"],
  },
  {
    what: "one of them was handed out again",
    meanwhile: async (bench) => {
      await bench.call("timeout", "b");
      await bench.pop("r", "other");
    },
    answers: ["complete", "LOCK_LOST", "complete"],
  },
  {
    what: "one of them is claimed under another lease",
    meanwhile: async () => {},
    lease: 1,
    answers: ["complete", "LOCK_LOST", "complete"],
  },
  {
    what: "all of them are in other hands",
    meanwhile: async (bench) => {
      for (const jid of ["a", "b", "c"]) await bench.call("timeout", jid);
    },
    answers: ["NOT_RUNNING", "NOT_RUNNING", "NOT_RUNNING"],
  },
];

everyHand("finish of several that are complete", (open) => {
  async function outcome({ meanwhile, lease }: Case, ...more: (string | number)[]) {
    const { bench, hands } = await open();
    for (const jid of ["first", "a", "c"]) await bench.later(0.1).put("q", jid);
    await bench.put("r", "b");
    await bench.pop("q", "w");
    const [b] = await bench.pop("r", "w");
    const [a, c] = await bench.pop("q", "w", 2);
    await meanwhile(bench, hands);
    const words = [a!, { ...b!, lease: lease ?? b!.lease }, c!].flatMap((job) => {
      return ["complete", job.jid, job.lease, 0];
    });
    let reply: string[] = [];
    const heard = await bench.hearing(async () => {
      reply = (await bench.call("finish", "w", 0, "[]", ...words, ...more)) as string[];
    });
    return { answers: reply.slice(0, 3), heard, kept: await dumped(bench) };
  }

  test.each(CASES)("comes to the same as by the long way when $what", async (one) => {
    const short = await outcome(one);
    expect(short.answers.map((told) => told.split(" ")[0])).toEqual(one.answers);
    expect(short).toEqual(await outcome(one, ...MORE));
  });

  test("removes what is too old once many runs have come together", async () => {
    const { bench } = await open();
    await bench.put("q", "old");
    const [old] = await bench.pop("q", "w");
    await bench.call("finish", "w", 0, "[]", "complete", "old", old!.lease, 0);
    bench.later(604_801);
    for (let i = 0; i < 400; i++) await bench.put("q", `job-${i}`);
    let jobs = await bench.pop("q", "w", 10);
    while (jobs.length > 0) {
      const words = jobs.flatMap(({ jid, lease }) => ["complete", jid, lease, 0]);
      const reply = (await bench.call("finish", "w", 10, '["q"]', ...words)) as string[];
      jobs = popped(reply.slice(jobs.length));
    }
    expect(await bench.json("get", "old")).toBeNull();
    expect((await bench.json("stats", "q", bench.now)).run).toMatchObject({ count: 400 });
    expect(await bench.problems()).toEqual([]);
  });
});
