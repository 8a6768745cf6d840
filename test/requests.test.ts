import { expect, test } from "vitest";
import type { CommandName } from "../src/engine.ts";
import { everyHand } from "./damage.ts";
import { type Bench, everyEngine, poppedJob, refused } from "./engines.ts";
import { jobIn } from "./states.ts";
import { heard, told } from "./told.ts";

/** A command that changes something, and what must be there before. */
interface Mutation {
  command: CommandName;
  args: (string | number)[];
  before?: (bench: Bench) => Promise<unknown>;
  /** What is told apart in the name of the test. */
  how?: string;
}

const running = (bench: Bench) => jobIn(bench, "running");
const waiting = (bench: Bench) => jobIn(bench, "waiting");
const recurring = (bench: Bench) =>
  bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0, "tags", '["x"]');
const jobs = (...jids: string[]) => jids.flatMap((jid) => ["q", jid, "klass", "{}", 0, 0]);

const MUTATIONS: Mutation[] = [
  { command: "put", args: ["w", "q", "a", "klass", "{}", 0, "tags", '["x"]'] },
  { command: "put", how: "with a delay", args: ["w", "q", "a", "klass", "{}", 10] },
  {
    command: "put",
    how: "of a job that runs",
    args: ["x", "q", "a", "k", "{}", 0],
    before: running,
  },
  { command: "put.many", args: ["w", ...jobs("a", "b", "c")] },
  { command: "requeue", args: ["w", "r", "a", "klass", "{}", 0], before: waiting },
  {
    command: "pop",
    args: ["q", "w", 2],
    before: async (bench) => {
      await bench.put("q", "a", { data: '"é\\u007f/"', tags: ["x", "y"], source: "s" });
      await bench.put("q", "b", { priority: 1.5 });
      await bench.put("q", "c");
    },
  },
  { command: "pop", how: "with history", args: ["q", "w", 1, "history", 1], before: waiting },
  { command: "pop", how: "from an empty queue", args: ["q", "w", 1] },
  {
    command: "pop",
    how: "from several queues",
    args: ["q", "w", 5, "also", '["r"]'],
    before: (bench) => bench.call("put.many", "w", ...jobs("a"), "r", "b", "klass", "{}", 0, 0),
  },
  { command: "heartbeat", args: ["a", "w", '{"n":2}'], before: running },
  { command: "heartbeat.many", args: ["w", "a", "", "", "none", "", ""], before: running },
  { command: "complete", args: ["a", "w", "q", "{}"], before: running },
  {
    command: "complete",
    how: "into another queue",
    args: ["a", "w", "q", "{}", "next", "r", "delay", 5],
    before: running,
  },
  { command: "fail", args: ["a", "w", "group", "message"], before: running },
  { command: "retry", args: ["a", "q", "w"], before: running },
  {
    command: "retry",
    how: "without retries left",
    args: ["a", "q", "w"],
    before: (bench) => jobIn(bench, "running", { retries: 0 }),
  },
  {
    command: "finish",
    args: [
      "w",
      2,
      '["q"]',
      "complete",
      "a",
      "",
      0,
      "fail",
      "none",
      "",
      4,
      "group",
      "g",
      "message",
      "m",
    ],
    before: async (bench) => {
      await running(bench);
      await bench.put("q", "b");
    },
  },
  {
    command: "finish",
    how: "without a pop",
    args: ["w", 0, "[]", "retry", "a", "", 0],
    before: running,
  },
  { command: "timeout", args: ["a"], before: running },
  { command: "cancel", args: ["a", "none"], before: waiting },
  { command: "cancel", how: "of nothing", args: ["none"] },
  { command: "cancel.many", args: ["a", "none"], before: waiting },
  { command: "depends", args: ["a", "off", "all"], before: (bench) => jobIn(bench, "depends") },
  { command: "priority", args: ["a", -7], before: waiting },
  { command: "priority.many", args: [-7, "a", "none"], before: waiting },
  { command: "log", args: ["a", "message", '{"n":1}'], before: waiting },
  { command: "track", args: ["track", "a"], before: waiting },
  { command: "tag", args: ["add", "a", "x"], before: waiting },
  { command: "tag.many", args: ["add", '["x"]', "a", "none"], before: waiting },
  { command: "move", args: ["r", "a", "none"], before: running },
  { command: "unfail", args: ["q", "group"], before: (bench) => jobIn(bench, "failed") },
  { command: "pause", args: ["q"] },
  {
    command: "unpause",
    args: ["q"],
    before: (bench) => bench.call("pause", "q"),
  },
  { command: "queue.forget", args: ["q"], before: waiting },
  { command: "worker.deregister", args: ["w"], before: running },
  { command: "config.set", args: ["heartbeat", 30] },
  { command: "config.unset", args: ["heartbeat"] },
  { command: "recur", args: ["q", "r", "klass", "{}", "interval", 60, 0] },
  { command: "unrecur", args: ["r"], before: recurring },
  { command: "recur.update", args: ["r", "interval", 90], before: recurring },
  { command: "recur.tag", args: ["r", "y"], before: recurring },
  { command: "recur.untag", args: ["r", "x"], before: recurring },
  { command: "tick", args: [], before: recurring },
  { command: "check", args: ["0", 1], before: waiting },
  { command: "layout", args: [] },
  { command: "restore", args: ["config", "record", 2, "heartbeat", 5] },
];

everyEngine("a request id", (open) => {
  for (const { command, how, args, before } of MUTATIONS) {
    test(`makes ${[command, how].join(" ").trim()} happen once, however often it is sent`, async () => {
      const bench = await open();
      await before?.(bench);
      const first = await bench.request("id", command, ...args);
      const after = await told(bench);
      const events = await heard(bench, async () => {
        for (let i = 0; i < 3; i++) {
          expect(await bench.request("id", command, ...args)).toStrictEqual(first);
        }
      });
      expect(events).toEqual([]);
      expect(await told(bench)).toEqual(after);
    });
  }

  test("gives the answer of a pop as it was, to the byte", async () => {
    const bench = await open();
    const data = '{"n":123456789012345678,"e":[],"o":{},"s":"\\u007f/\\/é😀\u007f","x":null}';
    await bench.put("q", "a", { data, tags: ["x", "é"], source: "s", priority: -0.5, cutoff: 9 });
    const [first] = (await bench.request("id", "pop", "q", "w", 1, "history", 1)) as string[];
    const [again] = (await bench.request("id", "pop", "q", "w", 1, "history", 1)) as string[];
    expect(poppedJob(first!).data).toBe(data);
    expect(again).toStrictEqual(first);
  });

  test("gives the first answer later as well, and whatever has happened since", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const first = await bench.request("id", "pop", "q", "w", 1);
    await bench.call("complete", "a", "w", "q", "{}");
    await bench.call("config.set", "heartbeat", 5);
    await bench.put("q", "b");
    expect(await bench.later(599).request("id", "pop", "q", "w", 1)).toStrictEqual(first);
    expect(await bench.json("get", "b")).toMatchObject({ state: "waiting" });
  });

  test("gives the first answer whatever is asked under it the second time", async () => {
    const bench = await open();
    await bench.request("id", "put", "w", "q", "a", "klass", "{}", 0);
    expect(await bench.request("id", "put", "w", "q", "b", "klass", "{}", 0)).toBe("a");
    expect(await bench.json("get", "b")).toBeNull();
  });

  test("does not stand for another one", async () => {
    const bench = await open();
    for (const id of ["id", "id2", "ID", " id", "id@", "@id", "{id}", "é", "constructor"]) {
      expect(await bench.request(id, "put", "w", "q", `by ${id}`, "klass", "{}", 0)).toBe(
        `by ${id}`,
      );
    }
    expect(await bench.call("length", "q")).toBe(9);
  });

  test("is one in each namespace", async () => {
    const [one, two] = [await open(), await open()];
    await one.request("id", "put", "w", "q", "a", "klass", "{}", 0);
    await two.request("id", "put", "w", "q", "a", "klass", "{}", 0);
    expect(await two.json("get", "a")).toMatchObject({ state: "waiting" });
  });

  test("of a refused call may be used again, and is judged anew", async () => {
    const bench = await open();
    const complete = () => bench.request("id", "complete", "a", "w", "q", "{}");
    await refused(complete(), "NO_SUCH_JOB");
    await refused(complete(), "NO_SUCH_JOB");
    await jobIn(bench, "running");
    expect(await complete()).toBe("complete");
    expect(await complete()).toBe("complete");
  });

  test("means nothing to commands that only read", async () => {
    const bench = await open();
    expect(await bench.request("id", "length", "q")).toBe(0);
    await bench.put("q", "a");
    expect(await bench.request("id", "length", "q")).toBe(1);
    expect(await bench.request("id", "unfail", "q", "group")).toBe(0);
  });

  test("works without a time, on the engine's clock", async () => {
    const bench = await open();
    const put = () => bench.engine.call("put", ["w", "q", "a", "k", "{}", 0], { request: "id" });
    expect(await put()).toBe("a");
    expect(await put()).toBe("a");
    expect((await bench.json("get", "a")).history).toHaveLength(1);
  });

  test("must be a name", async () => {
    const bench = await open();
    for (const id of ["", "a\nb", "\t", "\u007f", "x".repeat(256)]) {
      const put = bench.request(id, "put", "w", "q", "a", "klass", "{}", 0);
      await refused(put, "BAD_ARGUMENT", "The request id is not a name");
    }
    expect(await bench.json("get", "a")).toBeNull();
    expect(await bench.request("x".repeat(255), "put", "w", "q", "a", "k", "{}", 0)).toBe("a");
  });

  test("lets two calls at once change one thing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b");
    const pops = Array.from({ length: 10 }, () => bench.request("id", "pop", "q", "w", 1));
    const [first, ...others] = await Promise.all(pops);
    for (const other of others) expect(other).toStrictEqual(first);
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 1, running: 1 });
  });
});

everyHand("request ids", (open) => {
  test("are remembered up to a hundred thousand, the newest", async () => {
    const { bench, hands } = await open();
    const put = (id: string) => bench.request(id, "put", "w", "q", id, "klass", "{}", 0);
    await put("first");
    bench.later(1);
    const others = Array.from({ length: 99_998 }, (_, i) => `id${i}`);
    await hands.rankMany("requests", bench.now * 1000, others);
    await put("second");
    await bench.call("cancel", "first", "second");
    await put("first");
    expect(await bench.json("get", "first"), "still remembered").toBeNull();
    await put("third");
    await put("first");
    expect(await bench.json("get", "first"), "forgotten").toMatchObject({ state: "waiting" });
    await put("second");
    expect(await bench.json("get", "second"), "still remembered").toBeNull();
  });
});
