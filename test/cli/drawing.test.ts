import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diagnosis } from "../../src/cli/diagnosis.ts";
import { Flags } from "../../src/cli/flags.ts";
import { beginOf, histogramLines } from "../../src/cli/histogram.ts";
import { DATE_LEAST, dateOf, lengthOf, whenOf } from "../../src/cli/moments.ts";
import { factsOf, tableOf, WHOLE } from "../../src/cli/table.ts";
import { cut, padded, widthOf } from "../../src/cli/terminal.ts";
import { rowsOf, type View } from "../../src/cli/top/view.ts";

/** What is drawn, without a process around it. */

describe("a table", () => {
  const columns = ["A", "B", "C"].map((title, i) => ({ title, of: (row: string[]) => row[i] }));

  test("is never wider than the terminal, whatever is in it", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    const rows = fc.array(fc.tuple(text, text, text), { maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 12, max: 120 }), (some, width) => {
        const lines = tableOf(some, columns, { width, colours: false });
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(lines).toHaveLength(some.length + 1);
      }),
    );
  });

  test("cuts the widest column, and leaves the others", () => {
    const lines = tableOf([["short", "x".repeat(50), "end"]], columns, {
      width: 30,
      colours: false,
    });
    expect(lines[1]).toBe(`short  ${"x".repeat(17)}…  end`);
  });

  test("cuts free text first, then other text, and names and numbers last", () => {
    const named = [
      { title: "JID", of: ([jid]: string[]) => jid, least: WHOLE },
      { title: "KLASS", of: () => "a-long-klass" },
      { title: "PRIORITY", of: () => 1000 },
      { title: "NEXT", of: () => dateOf(new Date(0), true), least: DATE_LEAST },
      { title: "DATA", of: () => "{}".repeat(50), isFree: true },
    ];
    const jid = "welcome-".repeat(4);
    const at = (width: number) => tableOf([[jid]], named, { width, colours: false })[1]!;
    expect(at(120)).toMatch(/a-long-klass {6}1000 {2}1970-01-01 00:00:00Z \(.* ago\) {2}\{.*…$/);
    expect(at(80)).toBe(`${jid}  a-lo…   1000  1970-01-01 00:00:00Z …  {}{}{}{…`);
    expect(at(70)).toContain(`${jid}  a…  1000  1970-01-01 00:00:00Z …`);
    expect(at(60)).toContain("1000");
  });

  test("has numbers to the right", () => {
    const sizes = [{ title: "N", of: (n: number) => n }];
    expect(tableOf([5, 1000], sizes, { width: 80, colours: false })).toEqual([
      "   N",
      "   5",
      "1000",
    ]);
  });
});

test("text is measured by columns", () => {
  expect([widthOf("abc"), widthOf("漢字"), widthOf("e\u0301"), widthOf("\u{1f600}")]).toEqual([
    3, 4, 1, 2,
  ]);
  expect(cut("漢字漢字", 5)).toBe("漢字…");
  expect(padded("漢", 4, "right")).toBe("  漢");
});

test.each([
  [0, "0ms"],
  [999, "999ms"],
  [1500, "1.5s"],
  [59_999, "59s"],
  [60_000, "1m"],
  [3_661_000, "1h 1m"],
  [90_000_000, "1d 1h"],
])("%d milliseconds are told as %s", (ms, text) => {
  expect(lengthOf(ms)).toBe(text);
});

test("a moment is told by how far away it is", () => {
  expect(whenOf(new Date(61_000), 1000)).toBe("in 1m");
  expect(whenOf(new Date(1000), 61_000)).toBe("1m ago");
  expect(whenOf(undefined)).toBe("");
});

test("a date is exact, but on a terminal to the second", () => {
  const moment = new Date(1_000_500);
  expect(dateOf(moment, false)).toMatch(/^1970-01-01T00:16:40\.500Z \(/);
  expect(dateOf(moment, true)).toMatch(/^1970-01-01 00:16:40Z \(/);
});

describe("a histogram", () => {
  test("knows where each of the 148 bins begins", () => {
    expect([0, 59, 60, 118, 119, 141, 142, 147].map(beginOf)).toEqual([
      0, 59, 60, 3540, 3600, 82_800, 86_400, 518_400,
    ]);
  });

  test("is drawn from the shortest to the longest there was", () => {
    const bins = Array(148).fill(0);
    bins[5] = 2;
    bins[9] = 2;
    bins[12] = 1;
    expect(histogramLines(bins)).toEqual([
      `    5s  ${"█".repeat(40)} 4`,
      `   10s  ${"█".repeat(10)} 1`,
    ]);
    expect(histogramLines(Array(148).fill(0))).toEqual([]);
  });
});

test("a flag is refused by its name", () => {
  const flags = new Flags({ count: "x", from: "1", delay: "5", tags: "a,,b", queue: "" });
  expect(() => flags.whole("count")).toThrow('--count must be a whole number, not "x"');
  expect(() => flags.number("count")).toThrow('--count must be a number, not "x"');
  expect(() => flags.moment("from")).toThrow(/^--from must be a date and time/);
  expect(() => flags.time("delay")).toThrow("--delay needs a unit: 5s or 5ms");
  expect(() => flags.names("tags")).toThrow(/^--tags must be names with commas/);
  expect(() => flags.text("queue")).toThrow(/^--queue says nothing/);
  expect(flags.whole("none")).toBeUndefined();
});

describe("a diagnosis of Redis", () => {
  const measured = { latencies: [1, 2, 3], skewMs: 0, version: "1.0.0" };
  const well = {
    redis_version: "7.2.0",
    role: "master",
    mode: "functions",
    library: "1.0.0 abc",
    appendonly: "yes",
    appendfsync: "everysec",
    "maxmemory-policy": "noeviction",
    used_memory: "10",
    maxmemory: "100",
  };
  const wrongIn = (facts: object, more: object = {}) =>
    diagnosis({ ...well, ...facts }, { ...measured, ...more })
      .filter(({ state }) => state !== "ok")
      .map(({ about, state, todo }) => `${about} ${state} ${todo === undefined}`);

  test.each<[object, object, string[]]>([
    [{}, {}, []],
    [{ role: "slave" }, {}, ["role bad false"]],
    [{ mode: "scripts" }, {}, ["library warning false"]],
    [{ library: "0.9.0 abc" }, {}, ["library warning false"]],
    [{ appendonly: "no", save: "" }, {}, ["persistence bad false"]],
    [{ appendonly: "no", save: "60 1" }, {}, ["persistence warning false"]],
    [{ appendfsync: "no" }, {}, ["persistence warning false"]],
    [{ aof_last_write_status: "err" }, {}, ["disk bad false"]],
    [{ "maxmemory-policy": "allkeys-lru" }, {}, ["eviction bad false"]],
    [{ used_memory: "95" }, {}, ["memory bad false"]],
    [{ maxmemory: "0" }, {}, ["memory warning false"]],
    [{}, { latencies: [50] }, ["latency warning false"]],
    [{}, { skewMs: -5000 }, ["clock warning false"]],
  ])("with %j and %j finds what is wrong, and says what to do", (facts, more, wrong) => {
    expect(wrongIn(facts, more)).toEqual(wrong);
  });
});

test("facts are told whole, in lines that fit the terminal", () => {
  const facts = [
    ["jid", "a"],
    ["failed", `smtp: ${"no route ".repeat(8)}\u001b漢字`],
  ] as const;
  const wide = factsOf(facts, { width: Number.POSITIVE_INFINITY, colours: false });
  expect(wide).toEqual(["jid     a", `failed  smtp: ${"no route ".repeat(8)}\\u001b漢字`]);
  expect(factsOf(facts, { width: 40, colours: false })).toEqual([
    "jid     a",
    "failed  smtp: no route no route no route",
    "         no route no route no route no r",
    "        oute no route \\u001b漢字",
  ]);
});

test("the live view says nothing of what it has not read yet", () => {
  const shown = (view: View) => {
    const about = { place: "here", sample: undefined, at: undefined, status: "" };
    return rowsOf({ ...about, view, width: 80, height: 12 }).map(({ text }) => text);
  };
  expect(shown({ kind: "job", jid: "a", job: undefined, top: 0 })).toContain("Looking ...");
  expect(shown({ kind: "job", jid: "a", job: "gone", top: 0 })).toContain("a is gone.");
  const of = { queue: "q" };
  expect(shown({ kind: "jobs", of, jobs: undefined, at: 0 })).toContain("Looking ...");
  expect(shown({ kind: "jobs", of, jobs: [], at: 0 })).toContain("No jobs.");
});

test("the live view fills the screen, whatever its size and the number of queues", () => {
  const queue = { waiting: 1, running: 0, stalled: 0, scheduled: 0, depends: 0, recurring: 0 };
  const queues = Array.from({ length: 60 }, (_, i) => {
    return { ...queue, name: `q${i}`, paused: false, begun: 0, ended: 0 };
  });
  const at = new Date(0);
  const failures = [["g", 1] as [string, number]];
  const sample = { at, queues, hasMore: true, failures, workers: [] };
  for (const height of [12, 24, 60]) {
    const view = { kind: "overview", section: "queues", at: 59 } as const;
    const rows = rowsOf({ place: "here", view, sample, at, status: "", width: 80, height });
    expect(rows[2]!.text).toBe("QUEUES (the first 60; qless queues has all)");
    expect(rows).toHaveLength(height);
    expect(rows.filter(({ isChosen }) => isChosen).map(({ text }) => text.split(" ")[0])).toEqual([
      "q59",
    ]);
  }
});
