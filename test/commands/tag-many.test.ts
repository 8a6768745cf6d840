import { expect, test } from "vitest";
import { everyHand } from "../damage.ts";
import { everyEngine } from "../engines.ts";
import { type BadCall, bring, refusesEach, resent, STATES } from "./behaviour.ts";

everyHand("tag.many", (open) => {
  test("leaves a job alone that would have too many tags, and tags the others", async () => {
    const { bench, hands } = await open();
    for (const jid of ["full", "a"]) await bench.put("q", jid);
    const tags = JSON.stringify(Array.from({ length: 10_000 }, (_, i) => `t${i}`));
    await hands.set("j:full", "tags", tags);
    expect(await bench.call("tag.many", "add", '["x"]', "full", "a")).toEqual([
      "BAD_ARGUMENT Job full has more than 10000 tags",
      '["x"]',
    ]);
    expect(await hands.field("j:full", "tags")).toBe(tags);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["a"] });
  });
});

everyEngine("tag.many", (open) => {
  test("adds tags to jobs, and tells the tags that each has then", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x"] });
    await bench.put("q", "b");
    expect(await bench.call("tag.many", "add", '["y","x","y"]', "a", "b")).toEqual([
      '["x","y"]',
      '["y","x"]',
    ]);
    expect((await bench.json("get", "b")).tags).toEqual(["y", "x"]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 2, jobs: ["a", "b"] });
  });

  test("removes tags, also such that a job has not", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x", "y"] });
    await bench.put("q", "b");
    expect(await bench.call("tag.many", "remove", '["x"]', "a", "b")).toEqual(['["y"]', "[]"]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 0, jobs: [] });
  });

  test.each(STATES)("tags a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    expect(await bench.call("tag.many", "add", '["x"]', "a")).toEqual(['["x"]']);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["a"] });
  });

  test("judges each job on its own, and answers in their order", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.call("tag.many", "add", '["x"]', "none", "a", "a")).toEqual([
      "NO_SUCH_JOB Job none does not exist",
      '["x"]',
      '["x"]',
    ]);
    expect(await bench.json("tag", "get", "x")).toEqual({ total: 1, jobs: ["a"] });
    // Checking each of its tags against all of them would take longer than the test.
    await bench.call("cancel", "full");
  });

  test("does nothing to jobs when there are no tags", async () => {
    const bench = await open();
    await bench.put("q", "a", { tags: ["x"] });
    expect(await bench.call("tag.many", "add", "[]", "a")).toEqual(['["x"]']);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await resent(bench, "tag.many", "add", '["x"]', "a")).toEqual(['["x"]']);
  });

  const many = Array.from({ length: 1001 }, (_, i) => `j${i}`);
  const tags = JSON.stringify(many.slice(0, 11));
  const BAD: BadCall[] = [
    ["no command", [], 'Arg "command" missing'],
    ["another command", ["get", '["x"]', "a"], 'First argument must be "add" or "remove"'],
    ["no tags", ["add"], 'Arg "tags" missing'],
    ["tags that are no list", ["add", "x", "a"], 'Arg "tags" not JSON array of texts: x'],
    ["a tag that cannot be", ["add", '[""]', "a"], /^Arg "tags" must be/],
    ["no jids", ["add", '["x"]'], 'Arg "jids" missing'],
    ["an empty jid", ["add", '["x"]', ""], /^Arg "jids" must be/],
    ["too many jids", ["add", '["x"]', ...many], "More than 1000 jobs in one call"],
    [
      "too many tags for so many jobs",
      ["remove", tags, ...many.slice(1)],
      "More than 10000 tags of jobs in one call: name fewer tags, or fewer jobs",
    ],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "tag.many", BAD);
  });
});
