import { expect, test } from "vitest";
import { everyEngine, popped } from "../engines.ts";
import {
  type BadCall,
  badCalls,
  bring,
  refusedInVain,
  refusesEach,
  resent,
  STATES,
  type Words,
} from "./behaviour.ts";

everyEngine("log", (open) => {
  test("writes a message into the history", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.later(1.5).call("log", "a", "halfway there")).toBeFalsy();
    expect((await bench.json("get", "a")).history).toEqual([
      { what: "put", q: "q", when: 1_000_000 },
      { what: "halfway there", when: 1_000_001.5 },
    ]);
  });

  test("adds details that are a JSON object", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("log", "a", "halfway", '{"percent": 50, "of": ["x", null], "in": {"y": []}}');
    await bench.call("log", "a", "empty", " {} ");
    await bench.call("log", "a", "none", "");
    expect((await bench.json("get", "a")).history.slice(1)).toEqual([
      { what: "halfway", when: 1_000_000, percent: 50, of: ["x", null], in: { y: [] } },
      { what: "empty", when: 1_000_000 },
      { what: "none", when: 1_000_000 },
    ]);
  });

  test("does not let details say what happened or when", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("log", "a", "truth", '{"what":"lie","when":1,"q":"x"}');
    expect((await bench.json("get", "a")).history[1]).toEqual({
      what: "truth",
      when: 1_000_000,
      q: "x",
    });
  });

  test("does not take a message for something that happened", async () => {
    const bench = await open();
    await bench.put("q", "a");
    for (const message of ["put", "popped", "failed", "done", "timed-out", "log", "put\tq"]) {
      await bench.call("log", "a", message);
    }
    const whats = (await bench.json("get", "a")).history.slice(1);
    expect(whats).toEqual(
      ["put", "popped", "failed", "done", "timed-out", "log", "put\tq"].map((what) => ({
        what,
        when: 1_000_000,
      })),
    );
  });

  test("keeps any message: empty, of many lines, in any script", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const messages = ["", "a\nb\tc\r\n", "é𝒜🙂", '"quoted" \\ {} /', "\u0000\u001f\u007f"];
    for (const message of messages) await bench.call("log", "a", message);
    const { history } = await bench.json("get", "a");
    expect(history.slice(1).map(({ what }: { what: string }) => what)).toEqual(messages);
  });

  test("keeps details in any script", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const details = { "é\t\n": '𝒜🙂 \\ " /', n: 1.5e300, deep: [[[[{}]]]] };
    await bench.call("log", "a", "message", JSON.stringify(details));
    expect((await bench.json("get", "a")).history[1]).toMatchObject(details);
  });

  test.each(STATES)("is kept by a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const before = await bench.json("get", "a");
    await bench.call("log", "a", "note");
    const after = await bench.json("get", "a");
    const history = [...before.history, { what: "note", when: 1_000_000 }];
    expect(after).toEqual({ ...before, history });
  });

  test("comes with the history of a popped job", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("log", "a", "note", '{"x":1}');
    const [job] = popped(await bench.call("pop", "q", "w", 1, "history", 1));
    expect(job!.history![1]).toEqual({ what: "note", when: 1_000_000, x: 1 });
  });

  test("keeps the history at its limit: the first entry and the newest", async () => {
    const bench = await open();
    await bench.put("q", "a");
    for (let i = 1; i <= 150; i++) await bench.call("log", "a", `note ${i}`);
    const { history } = await bench.json("get", "a");
    expect(history).toHaveLength(100);
    expect(history[0].what).toBe("put");
    expect(history[1].what).toBe("note 52");
    expect(history[99].what).toBe("note 150");
  });

  test.each([
    [1, ["put"]],
    [2, ["put", "note 5"]],
    [3, ["put", "note 4", "note 5"]],
    [0, ["put", "note 1", "note 2", "note 3", "note 4", "note 5"]],
    [-1, ["put", "note 1", "note 2", "note 3", "note 4", "note 5"]],
  ])("keeps exactly as much history as a limit of %d allows", async (limit, kept) => {
    const bench = await open();
    await bench.call("config.set", "max-job-history", limit);
    await bench.put("q", "a");
    for (let i = 1; i <= 5; i++) await bench.call("log", "a", `note ${i}`);
    const { history } = await bench.json("get", "a");
    expect(history.map(({ what }: { what: string }) => what)).toEqual(kept);
  });

  test("cuts a long history when the limit was lowered", async () => {
    const bench = await open();
    await bench.put("q", "a");
    for (let i = 1; i <= 50; i++) await bench.call("log", "a", `note ${i}`);
    await bench.call("config.set", "max-job-history", 4);
    await bench.call("log", "a", "last");
    const { history } = await bench.json("get", "a");
    const whats = history.map(({ what }: { what: string }) => what);
    expect(whats).toEqual(["put", "note 49", "note 50", "last"]);
  });

  test("is silent", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(async () => {
      await bench.call("log", "a", "note");
    });
    expect(heard).toEqual([]);
  });

  test("writes once when it is sent again under the same request id", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await resent(bench, "log", "a", "note")).toBeFalsy();
    expect((await bench.json("get", "a")).history).toHaveLength(2);
  });

  test("is refused for a job that does not exist", async () => {
    const bench = await open();
    await refusedInVain(bench, ["log", "a", "note"], "NO_SUCH_JOB", "Job a does not exist");
    expect(await bench.json("get", "a")).toBeNull();
  });

  test("takes messages and details of a mebibyte, and refuses one byte more", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const long = "é".repeat(524_288);
    const details = `{"x":"${"y".repeat(1_048_568)}"}`;
    await bench.call("log", "a", long, details);
    const tooLong = (name: string) => `Arg "${name}" is longer than 1048576 bytes`;
    await refusedInVain(bench, ["log", "a", `${long}x`], "BAD_ARGUMENT", tooLong("message"));
    await refusedInVain(bench, ["log", "a", "x", `${details} `], "BAD_ARGUMENT", tooLong("data"));
  });

  const GOOD: Words = ["a", "message"];
  const BAD: BadCall[] = [
    ...badCalls(GOOD, [
      ["jid", "name"],
      ["message", "anything"],
    ]),
    ["an option", ["a", "message", "{}", "x", 1], "Unknown option x: it takes none"],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "log", BAD);
  });

  const NO_OBJECTS = [
    "1",
    "null",
    "true",
    '"text"',
    "[]",
    "[1]",
    '{"a":1',
    "{a:1}",
    '{"a":1,}',
    '{"a":1} {"b":2}',
    '{"a":1},"b":{}',
    '{"a":1}}',
    "{'a':1}",
    '{"a":nan}',
    '{"a":-inf}',
    '{"a":0x10}',
    '{"a":01}',
    '{"a":+1}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":"x\ny"}',
    '{"a":"\t"}',
    '{"a":"\\x"}',
    '{"a":"\\ud800"}',
    '{"a":undefined}',
    '{1:"a"}',
    '{"a"}',
    "{} x",
    "\u00a0{}",
  ];

  test("refuses details that are no JSON object, and leaves the job readable", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const reason = 'Arg "data" not a JSON object';
    const calls = NO_OBJECTS.map((data): BadCall => [data, ["a", "message", data], reason]);
    await refusesEach(bench, "log", calls);
    expect((await bench.pop("q", "w")).map(({ jid }) => jid)).toEqual(["a"]);
  });
});
