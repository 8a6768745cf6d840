import { expect, test } from "vitest";
import { type Bench, everyEngine, type PutOptions } from "../engines.ts";
import {
  bring,
  contents,
  refusedInVain,
  resent,
  STATES,
  statesBut,
  told,
  type Words,
} from "./behaviour.ts";

/** Everything that a put of an existing job could change. */
const CHANGES: PutOptions = {
  klass: "other",
  data: "[1]",
  delay: 5,
  priority: 3,
  tags: ["new"],
  retries: 1,
  depends: ["other"],
  source: "there",
  backoff: "fixed 1",
  cutoff: 9,
  context: "{}",
};

const IN_TIME = ["waiting", "scheduled", "depends", "running", "complete", "failed"] as const;

/** Expects that the work changes nothing and that nothing is announced. */
async function unchanged(bench: Bench, work: () => Promise<unknown>): Promise<void> {
  const before = await contents(bench);
  const heard = await bench.hearing(work);
  expect(await contents(bench)).toEqual(before);
  expect(told(heard)).toEqual([]);
}

everyEngine("put of a jid that exists", (open) => {
  test.each(["keep", "replace", "refuse"])("creates a job that is new, with %s", async (exists) => {
    const bench = await open();
    expect(await bench.put("q", "a", { exists, priority: 2 })).toEqual(["a", "created"]);
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", priority: 2 });
  });

  test.each(STATES)("keeps a job that is %s, in silence", async (state) => {
    const bench = await open();
    await bench.put("elsewhere", "other");
    await bring(bench, state, "a", "q", { tags: ["old"], unique: "k", for: 1000 });
    bench.later(2);
    await unchanged(bench, async () => {
      expect(await bench.put("r", "a", { ...CHANGES, exists: "keep" })).toEqual(["a", "kept"]);
    });
  });

  test("keeps a job whose lock has expired", async () => {
    const bench = await open();
    await bring(bench, "running");
    bench.later(61);
    await unchanged(bench, async () => {
      expect(await bench.put("q", "a", { exists: "keep" })).toEqual(["a", "kept"]);
    });
  });

  test.each(STATES)("refuses to put a job that is %s, and changes nothing", async (state) => {
    const bench = await open();
    await bring(bench, state);
    const words: Words = ["w", "q", "a", "klass", "{}", 0, "exists", "refuse"];
    const reason = "Job a exists already: use another jid, or keep or replace the job";
    await refusedInVain(bench, ["put", ...words], "JID_TAKEN", reason);
  });

  test.each(IN_TIME)("replaces a job that is %s as without the option", async (state) => {
    const ends: object[] = [];
    for (const option of [{}, { exists: "replace" }]) {
      const bench = await open();
      await bring(bench, state, "a", "q", { tags: ["old"] });
      const heard = await bench.hearing(async () => {
        const answer = "exists" in option ? ["a", "replaced"] : "a";
        expect(await bench.put("r", "a", { ...CHANGES, ...option })).toEqual(answer);
      });
      const contained = JSON.stringify([await contents(bench), told(heard)]);
      ends.push(JSON.parse(contained.replaceAll(bench.engine.namespace, "ns")));
    }
    expect(ends[1]).toEqual(ends[0]);
  });

  test("creates a job whose jid is only tracked", async () => {
    for (const exists of ["keep", "refuse", "replace"]) {
      const bench = await open();
      await bench.put("q", "a");
      await bench.call("track", "track", "a");
      await bench.call("cancel", "a");
      expect((await bench.json("track")).expired).toEqual(["a"]);
      expect(await bench.put("q", "a", { exists })).toEqual(["a", "created"]);
      expect(await bench.json("get", "a")).toMatchObject({ state: "waiting", tracked: true });
      expect(await bench.put("q", "a", { exists: "keep" })).toEqual(["a", "kept"]);
    }
  });

  test("creates a job beside a recurring job or a schedule of that jid", async () => {
    const bench = await open();
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 60, 60);
    await bench.call("cron.put", "c", "q", "klass", "{}", "0 9 * * *", "UTC", bench.now + 60);
    for (const jid of ["r", "c"]) {
      expect(await bench.put("q", jid, { exists: "refuse" })).toEqual([jid, "created"]);
      expect(await bench.put("q", jid, { exists: "keep" })).toEqual([jid, "kept"]);
    }
  });

  test("refuses bad options for a job that it would keep", async () => {
    const bench = await open();
    await bench.put("q", "a");
    const bad: [Words, string | RegExp][] = [
      [["exists", "always"], 'Arg "exists" must be keep, replace or refuse'],
      [["exists", "keep", "until", "start"], '"until" cannot be used without a "unique".'],
      [["exists", "keep", "context", "[]"], 'Arg "context" not a JSON object'],
      [["exists", "keep", "backoff", "slow"], /backoff/i],
      [["exists", "keep", "protect", "yes"], /protect/],
    ];
    for (const [words, reason] of bad) {
      const call: Words = ["w", "q", "a", "klass", "{}", 0, ...words];
      await refusedInVain(bench, ["put", ...call], "BAD_ARGUMENT", reason);
    }
  });

  test("answers a request that is sent again as the first time", async () => {
    const bench = await open();
    const put: Words = ["w", "q", "a", "klass", "{}", 0, "exists", "keep"];
    expect(await resent(bench, "put", ...put)).toEqual(["a", "created"]);
    expect(await bench.request("request-2", "put", ...put)).toEqual(["a", "kept"]);
    expect(await bench.request("request-2", "put", ...put)).toEqual(["a", "kept"]);
    await bench.call("cancel", "a");
    expect(await bench.request("request-2", "put", ...put)).toEqual(["a", "kept"]);
  });

  test("leaves requeue and move as the ways to run a job again", async () => {
    const bench = await open();
    await bring(bench, "complete");
    expect(await bench.call("requeue", "w", "q", "a", "klass", "{}", 0)).toBe("a");
    expect(await bench.json("get", "a")).toMatchObject({ state: "waiting" });
    await bench.pop("q", "w");
    expect(await bench.call("move", "q", "a")).toEqual(["waiting"]);
    const words: Words = ["w", "q", "a", "klass", "{}", 0, "exists", "keep"];
    await refusedInVain(bench, ["requeue", ...words], "BAD_ARGUMENT", /^Unknown option exists/);
  });
});

everyEngine("put of a jid that exists, with a unique key", (open) => {
  test("judges the jid before the key", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { unique: "k" });
    for (const conflict of ["keep", "replace", "data", "time"]) {
      const put = { unique: "k", conflict, data: "[1]", delay: 0 };
      await unchanged(bench, async () => {
        expect(await bench.put("q", "a", { ...put, exists: "keep" })).toEqual(["a", "kept"]);
        expect(await bench.put("q", "b", { ...put, exists: "keep" })).toEqual(["b", "kept"]);
      });
      const words: Words = ["w", "q", "a", "klass", "{}", 0, "unique", "k", "conflict", conflict];
      await refusedInVain(bench, ["put", ...words, "exists", "refuse"], "JID_TAKEN");
    }
  });

  test("does not give a kept job the key", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.put("q", "a", { unique: "k", exists: "keep" })).toEqual(["a", "kept"]);
    expect(await bench.call("unique.get", "k")).toBe("");
  });

  test("answers what became of the job that holds the key", async () => {
    const bench = await open();
    const put = (jid: string, conflict: string, more: PutOptions = {}) =>
      bench.put("q", jid, { exists: "keep", unique: "k", conflict, ...more });
    expect(await put("a", "keep")).toEqual(["a", "created"]);
    expect(await put("b", "keep")).toEqual(["a", "kept"]);
    expect(await put("b", "replace")).toEqual(["a", "replaced"]);
    expect(await put("b", "data", { data: "[2]" })).toEqual(["a", "changed"]);
    expect(await put("b", "time", { delay: 5 })).toEqual(["a", "changed"]);
    expect(await put("b", "time")).toEqual(["a", "changed"]);
    expect(await put("b", "time")).toEqual(["a", "kept"]);
    expect(await bench.json("get", "b")).toBeNull();
    await bench.pop("q", "w");
    for (const conflict of ["keep", "replace", "data", "time"]) {
      expect(await put("b", conflict, { delay: 5 }), conflict).toEqual(["a", "kept"]);
    }
  });

  test("answers that the time of a job that depends on others was changed", async () => {
    const bench = await open();
    await bring(bench, "depends", "a", "q", { unique: "k" });
    const put = { exists: "keep", unique: "k", conflict: "time" };
    expect(await bench.put("q", "b", put)).toEqual(["a", "kept"]);
    expect(await bench.put("q", "b", { ...put, delay: 5 })).toEqual(["a", "changed"]);
    expect(await bench.put("q", "b", put)).toEqual(["a", "changed"]);
  });

  test.each(statesBut("complete", "running"))(
    "replaces the job of its own jid that is %s, if it holds the key",
    async (state) => {
      const bench = await open();
      await bring(bench, state, "a", "q", { unique: "k" });
      const put = { unique: "k", exists: "replace", data: "[3]" };
      expect(await bench.put("q", "a", put)).toEqual(["a", "replaced"]);
      expect(await bench.json("get", "a")).toMatchObject({ data: "[3]", unique: "k" });
    },
  );
});

everyEngine("put for a caller that may only create jobs", (open) => {
  const protect = 1;
  const words = (jid: string, options: Words): Words => {
    return ["w", "r", jid, "other", "[1]", 0, ...options, "protect", protect];
  };

  test.each(STATES)("creates jobs, and does not touch one that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state, "a", "q", { unique: "k", for: 1000 });
    const taking: [Words, RegExp][] = [
      [words("a", []), /^Job a exists already, and this caller may only create jobs/],
      [words("a", ["exists", "replace"]), /^Job a exists already/],
      [words("a", ["depends", '["x"]']), /^Job a exists already/],
      [words("a", ["unique", "k"]), /^Job a exists already/],
    ];
    for (const conflict of ["replace", "data", "time"]) {
      const key = /^Job a holds the key, and this caller may only create jobs/;
      taking.push([words("b", ["unique", "k", "conflict", conflict]), key]);
    }
    for (const [call, reason] of taking) {
      await refusedInVain(bench, ["put", ...call], "NOT_PERMITTED", reason);
      const many = [...call.slice(0, 6), call.length - 6, ...call.slice(6)];
      await refusedInVain(bench, ["put.many", ...many], "NOT_PERMITTED", reason);
    }
    await refusedInVain(bench, ["put", ...words("a", ["exists", "refuse"])], "JID_TAKEN");
    await unchanged(bench, async () => {
      expect(await bench.call("put", ...words("a", ["exists", "keep"]))).toEqual(["a", "kept"]);
      expect(await bench.call("put", ...words("b", ["unique", "k"]))).toBe("a");
    });
    expect(await bench.call("put", ...words("c", ["depends", '["a"]']))).toBe("c");
    expect(await bench.call("put", ...words("d", ["exists", "replace"]))).toEqual(["d", "created"]);
  });

  test("does not touch a job of the same call either, which may be another caller's", async () => {
    const bench = await open();
    const job = (jid: string, ...options: Words): Words => {
      return ["q", jid, "klass", "{}", 0, options.length, ...options];
    };
    for (const conflict of ["data", "time", "replace"]) {
      const second = job("b", "unique", "k", "conflict", conflict, "protect", 1);
      const call = ["w", ...job("a", "unique", "k"), ...second];
      await refusedInVain(bench, ["put.many", ...call], "NOT_PERMITTED", /^Job a holds the key/);
    }
    const again = job("a", "exists", "replace", "protect", 1);
    const call = ["w", ...job("a"), ...again];
    await refusedInVain(bench, ["put.many", ...call], "NOT_PERMITTED", /^Job a exists already/);
  });
});
