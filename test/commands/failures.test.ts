import { expect, test } from "vitest";
import { everyHand } from "../damage.ts";
import { type Bench, everyEngine } from "../engines.ts";
import { failedJobs } from "../states.ts";
import { refusesEach, unchanged } from "../told.ts";

async function fail(bench: Bench, jid: string, group: string, message: string, queue = "q") {
  await bench.put(queue, jid);
  await bench.pop(queue, "w");
  await bench.call("fail", jid, "w", group, message);
}

everyEngine("failures", (open) => {
  test("tells of each group since when, until when, of what, and in which queues", async () => {
    const bench = await open();
    expect(await bench.json("failures")).toEqual([]);
    await fail(bench, "a", "Smtp", "421 too many", "mail");
    await fail(bench.later(10.5), "b", "Smtp", "550 no such user\n    at Mailer.send", "post");
    await fail(bench.later(1), "c", "Other", 'é "quoted"');
    expect(await bench.json("failures")).toEqual([
      {
        group: "Smtp",
        count: 2,
        first: 1_000_000,
        last: 1_000_010.5,
        jid: "b",
        message: "550 no such user",
        queues: ["post", "mail"],
      },
      {
        group: "Other",
        count: 1,
        first: 1_000_011.5,
        last: 1_000_011.5,
        jid: "c",
        message: 'é "quoted"',
        queues: ["q"],
      },
    ]);
  });

  test("tells of the largest groups first, page by page, 25 unless asked for more", async () => {
    const bench = await open();
    for (let i = 0; i < 30; i++) await failedJobs(bench, `g${i}`, [`j${i}`]);
    await failedJobs(bench, "g7", ["more"]);
    const groups = async (...args: (string | number)[]) =>
      (await bench.json("failures", ...args)).map(({ group }: { group: string }) => group);
    expect(await groups()).toHaveLength(25);
    expect(await groups(0, 100)).toHaveLength(30);
    expect(await groups("", 1)).toEqual(["g7"]);
    expect(await groups(29)).toHaveLength(1);
    expect(await groups(30)).toEqual([]);
    expect(await groups(0, 0)).toEqual([]);
  });

  test("tells exactly when, though many fail at one moment", async () => {
    const bench = await open();
    await failedJobs(
      bench,
      "g",
      Array.from({ length: 40 }, (_, i) => `j${i}`),
    );
    expect(await bench.json("failures")).toMatchObject([
      { count: 40, first: bench.now, last: bench.now, jid: "j39" },
    ]);
  });

  test("looks at ten jobs of a group, and names each of their queues once", async () => {
    const bench = await open();
    await fail(bench, "old", "g", "m", "long-ago");
    for (let i = 0; i < 12; i++) await fail(bench.later(1), `j${i}`, "g", "m", `q${i % 2}`);
    expect(await bench.json("failures")).toMatchObject([{ count: 13, queues: ["q1", "q0"] }]);
  });

  test("tells no message whose first line is long", async () => {
    const bench = await open();
    await fail(bench, "a", "g", "x".repeat(4096));
    expect((await bench.json("failures"))[0].message).toHaveLength(4096);
    await fail(bench.later(1), "b", "g", `${"x".repeat(4097)}\nshort`);
    expect((await bench.json("failures"))[0]).toMatchObject({ jid: "b", message: null });
    await fail(bench.later(1), "c", "g", "");
    expect((await bench.json("failures"))[0].message).toBe("");
  });

  test("forgets a group with its last job, and changes nothing itself", async () => {
    const bench = await open();
    await failedJobs(bench, "g", ["a", "b"]);
    await unchanged(bench, () => bench.call("failures"));
    await bench.call("cancel", "a");
    expect(await bench.json("failures")).toMatchObject([{ count: 1, jid: "b" }]);
    await bench.call("move", "", "b");
    expect(await bench.json("failures")).toEqual([]);
  });

  test("refuses bad arguments", async () => {
    const bench = await open();
    await failedJobs(bench, "g", ["a"]);
    await refusesEach(bench, "failures", [
      [["x"], 'Arg "offset" not a number: x'],
      [[-1], 'Arg "offset" must not be negative: -1'],
      [[0.5], 'Arg "offset" not a whole number: 0.5'],
      [[0, "x"], 'Arg "count" not a number: x'],
      [[0, -1], 'Arg "count" must not be negative: -1'],
      [[0, 101], 'Arg "count" must be at most 100'],
      [[0, 1, "more"], /^Odd number of additional args/],
      [[0, 1, "group", "g"], "Unknown option group: it takes none"],
    ]);
  });
});

everyHand("failures", (open) => {
  test("tells what it can of a group whose jobs are gone", async () => {
    const { bench, hands } = await open();
    await failedJobs(bench, "g", ["a"]);
    await hands.remove("j:a");
    const nothing = { first: null, last: null, jid: "a", message: null, queues: [] };
    expect(await bench.json("failures")).toEqual([{ group: "g", count: 1, ...nothing }]);
  });
});
