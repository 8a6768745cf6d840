import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { badCalls, bring, contents, refusesEach, STATES } from "./behaviour.ts";

everyEngine("get", (open) => {
  test("tells everything about a new job", async () => {
    const bench = await open();
    await bench.put("q", "a", { klass: "Mailer", data: '{"to":[1,2]}' });
    expect(await bench.json("get", "a")).toEqual({
      jid: "a",
      klass: "Mailer",
      state: "waiting",
      queue: "q",
      worker: "",
      tracked: false,
      priority: 0,
      expires: 0,
      retries: 5,
      remaining: 5,
      data: '{"to":[1,2]}',
      tags: [],
      history: [{ what: "put", q: "q", when: 1_000_000 }],
      failure: {},
      spawned_from_jid: null,
      dependents: [],
      dependencies: [],
      lease: null,
      scheduled: null,
      source: null,
      backoff: null,
      cutoff: null,
      unique: null,
      context: null,
      first_failure: {},
    });
  });

  test("tells every option that was given", async () => {
    const bench = await open();
    await bench.put("q", "other");
    await bench.put("q", "a", {
      delay: 12.5,
      priority: -2.25,
      tags: ["x", "y"],
      retries: 2,
      depends: ["other"],
      source: "import",
      backoff: "linear 30 cap 600",
      cutoff: 90.5,
    });
    expect(await bench.json("get", "a")).toMatchObject({
      state: "depends",
      priority: -2.25,
      tags: ["x", "y"],
      retries: 2,
      remaining: 2,
      dependencies: ["other"],
      scheduled: 1_000_012.5,
      source: "import",
      backoff: "linear 30 cap 600",
      cutoff: 90.5,
    });
    expect((await bench.json("get", "other")).dependents).toEqual(["a"]);
  });

  test("answers nothing for a job that does not exist", async () => {
    const bench = await open();
    expect(await bench.json("get", "nobody")).toBeNull();
  });

  test("answers nothing for a recurring job, which is no job", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 0);
    expect(await bench.json("get", "r")).toBeNull();
  });

  test.each(STATES)("tells the state of a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const running = state === "running";
    expect(await bench.json("get", "a")).toMatchObject({
      state,
      queue: state === "complete" ? "" : "q",
      worker: running ? "w" : "",
      expires: running ? 1_000_060 : 0,
      lease: running ? 1 : null,
      scheduled: state === "scheduled" ? 1_000_100 : null,
    });
  });

  test("tells times to the millisecond", async () => {
    const bench = await open();
    bench.at(1_700_000_000.123);
    await bench.put("q", "a");
    bench.at(1_700_000_001.456);
    await bench.pop("q", "w");
    const job = await bench.json("get", "a");
    expect(job.expires).toBe(1_700_000_061.456);
    expect(job.history).toEqual([
      { what: "put", q: "q", when: 1_700_000_000.123 },
      { what: "popped", worker: "w", when: 1_700_000_001.456 },
    ]);
  });

  test("tells the history of a whole life, oldest first", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 1 });
    await bench.later(1).pop("q", "w");
    await bench.later(1).call("log", "a", "halfway", '{"percent":50}');
    await bench.later(1).call("retry", "a", "q", "w");
    await bench.later(1).pop("q", "w");
    await bench.later(1).call("timeout", "a");
    await bench.later(1).pop("q", "w");
    await bench.later(1).call("fail", "a", "w", "group", "message");
    await bench.later(1).put("q", "a");
    await bench.later(1).pop("q", "w");
    await bench.later(1).call("complete", "a", "w", "q", "{}", "next", "r");
    await bench.later(1).pop("r", "v");
    await bench.later(1).call("complete", "a", "v", "r", "{}");
    expect((await bench.json("get", "a")).history).toEqual([
      { when: 1_000_000, what: "put", q: "q" },
      { when: 1_000_001, what: "popped", worker: "w" },
      { when: 1_000_002, what: "halfway", percent: 50 },
      { when: 1_000_003, what: "retried", worker: "w" },
      { when: 1_000_004, what: "popped", worker: "w" },
      { when: 1_000_005, what: "timed-out" },
      { when: 1_000_006, what: "popped", worker: "w" },
      { when: 1_000_007, what: "failed", group: "group", worker: "w" },
      { when: 1_000_008, what: "put", q: "q" },
      { when: 1_000_009, what: "popped", worker: "w" },
      { when: 1_000_010, what: "done" },
      { when: 1_000_010, what: "put", q: "r" },
      { when: 1_000_011, what: "popped", worker: "v" },
      { when: 1_000_012, what: "done" },
    ]);
  });

  test("reports a scheduled job as waiting from the moment it is due", async () => {
    const bench = await open();
    await bench.put("q", "a", { delay: 10 });
    expect((await bench.at(1_000_009.999).json("get", "a")).state).toBe("scheduled");
    expect((await bench.at(1_000_010).json("get", "a")).state).toBe("waiting");
  });

  test("reports a running job as stalled from the moment its lock expires", async () => {
    const bench = await open();
    await bring(bench, "running");
    expect((await bench.at(1_000_059.999).json("get", "a")).state).toBe("running");
    expect(await bench.at(1_000_060).json("get", "a")).toMatchObject({ state: "stalled" });
  });

  test("writes nothing, whatever is due", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.put("q", "b", { delay: 10 });
    bench.later(1000);
    const before = await contents(bench);
    await bench.json("get", "a");
    await bench.json("get", "b");
    expect(await contents(bench)).toEqual(before);
    expect((await bench.json("get", "a")).history).toHaveLength(2);
  });

  test("brings data back byte for byte", async () => {
    const bench = await open();
    const datas = [
      '{"n":123456789012345678}',
      "[]",
      "{}",
      '{"a":[],"b":{},"c":[null,{"d":null}]}',
      ' { "b" : 1.0, "a" : 1e2 } ',
      '{"path":"a/b","escaped":"a\\/b","u":"\\u00e9"}',
      '{"text":"é𝒜 \\n \\u0000"}',
      "null",
      "false",
      '"text"',
      "1.10",
    ];
    for (const [i, data] of datas.entries()) await bench.put("q", `j${i}`, { data });
    for (const [i, data] of datas.entries()) {
      expect((await bench.json("get", `j${i}`)).data).toBe(data);
    }
  });

  test.each(["constructor", "__proto__", "a-history", "{x}", "*", "a b", "🙂", "a:b", "a\\b", '"'])(
    "finds a job named %s",
    async (jid) => {
      const bench = await open();
      await bench.put("q", "a");
      await bench.put(jid, jid, { klass: jid, tags: [jid], source: jid });
      expect(await bench.json("get", jid)).toMatchObject({
        jid,
        klass: jid,
        queue: jid,
        tags: [jid],
      });
      expect(await bench.json("get", "a")).toMatchObject({ jid: "a", tags: [] });
    },
  );

  test("refuses arguments that cannot be", async () => {
    const bench = await open();
    await refusesEach(bench, "get", [
      ...badCalls(["a"], [["jid", "name"]]),
      ["an option", ["a", "history", 1], "Unknown option history: it takes none"],
    ]);
  });
});
