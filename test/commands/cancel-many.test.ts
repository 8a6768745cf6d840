import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import {
  type BadCall,
  bring,
  contents,
  refusesEach,
  resent,
  statesBut,
  told,
} from "./behaviour.ts";

const gone = (jid: string) => `NO_SUCH_JOB Job ${jid} does not exist`;
const code = (answer: unknown) => /^[A-Z_]+ |^/.exec(answer as string)![0].trim() || answer;

everyEngine("cancel.many", (open) => {
  test.each(statesBut("complete"))("removes a job that is %s", async (state) => {
    const bench = await open();
    await bring(bench, state);
    expect(await bench.call("cancel.many", "a")).toEqual(["canceled"]);
    expect(await bench.json("get", "a")).toBeNull();
  });

  test("judges each job on its own, and answers in their order", async () => {
    const bench = await open();
    await bring(bench, "complete", "done");
    for (const jid of ["a", "b"]) await bench.put("q", jid);
    expect(await bench.call("cancel.many", "b", "none", "done", "a")).toEqual([
      "canceled",
      gone("none"),
      "ALREADY_COMPLETE Job done is complete and can no longer be canceled",
      "canceled",
    ]);
    expect(await bench.call("length", "q")).toBe(0);
    expect(await bench.json("get", "done")).not.toBeNull();
  });

  test.each([[["a", "b", "c"]], [["c", "b", "a"]], [["b", "c", "a"]]])(
    "removes jobs with those that wait for them, named as %j",
    async (jids) => {
      const bench = await open();
      await bench.put("q", "a");
      await bench.put("q", "b", { depends: ["a"] });
      await bench.put("q", "c", { depends: ["a", "b"] });
      expect(await bench.call("cancel.many", ...jids)).toEqual(Array(3).fill("canceled"));
      expect(await bench.json("multiget", ...jids)).toEqual([]);
    },
  );

  test("leaves a job for which another waits that is not named, and nothing else", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { depends: ["a"] });
    await bench.put("q", "c");
    expect(await bench.call("cancel.many", "a", "c")).toEqual([
      "HAS_DEPENDENTS a is a dependency of b but is not mentioned to be canceled",
      "canceled",
    ]);
    expect((await bench.json("get", "b")).dependencies).toEqual(["a"]);
  });

  test("leaves the jobs that one waits for which stays for another's sake", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await bench.put("q", "b", { depends: ["a"] });
    await bench.put("q", "c", { depends: ["b"] });
    const before = await contents(bench);
    expect(await bench.call("cancel.many", "a", "b")).toEqual([
      "HAS_DEPENDENTS a is a dependency of b, which cannot be canceled",
      "HAS_DEPENDENTS b is a dependency of c but is not mentioned to be canceled",
    ]);
    expect(await contents(bench)).toEqual(before);
  });

  test("judges a long chain, whichever end it is named from", async () => {
    const bench = await open();
    const chain = Array.from({ length: 1000 }, (_, i) => `j${i}`);
    const words = chain.flatMap((jid, i) => {
      const depends = i === 0 ? [0] : [2, "depends", JSON.stringify([chain[i - 1]])];
      return ["q", jid, "k", "{}", 0, ...depends];
    });
    await bench.call("put.many", "w", ...words);
    const part = (await bench.call("cancel.many", ...chain.slice(0, 999))) as string[];
    expect(new Set(part.map(code))).toEqual(new Set(["HAS_DEPENDENTS"]));
    expect(await bench.call("cancel.many", ...chain)).toEqual(chain.map(() => "canceled"));
  });

  test("refuses to follow more waiting jobs than it may", { timeout: 60_000 }, async () => {
    const bench = await open();
    const named = (name: string) => Array.from({ length: 150 }, (_, i) => `${name}-${i}`);
    const put = (jids: string[], ...options: (string | number)[]) => {
      const words = jids.flatMap((jid) => ["q", jid, "k", "{}", 0, options.length, ...options]);
      return bench.call("put.many", "w", ...words);
    };
    const first = ["a", "b"].flatMap(named);
    const waiting = ["x", "y"].flatMap(named);
    await put(first);
    await put(named("x"), "depends", JSON.stringify(named("a")));
    await put(named("y"), "depends", JSON.stringify(named("b")));
    const answers = (await bench.call("cancel.many", ...first, ...waiting)) as string[];
    expect(answers).toContain(
      "HAS_DEPENDENTS More jobs wait for those of the call than can be followed: 30000",
    );
    expect(new Set(answers.map(code))).toEqual(new Set(["canceled", "HAS_DEPENDENTS"]));
  });

  test("gives a job that is named twice the same answer", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await bench.call("cancel.many", "a", "x", "a")).toEqual([
      "canceled",
      gone("x"),
      "canceled",
    ]);
  });

  test("tells the log, the worker and the watchers", async () => {
    const bench = await open();
    await bring(bench, "running");
    await bench.call("track", "track", "a");
    const heard = await bench.hearing(() => bench.call("cancel.many", "none", "a"));
    const message = { event: "canceled", jid: "a", queue: "q", worker: "w" };
    expect(told(heard)).toEqual([
      ["log", message],
      ["w:w", message],
      ["canceled", "a"],
    ]);
  });

  test("changes nothing when it is sent again under the same request id", async () => {
    const bench = await open();
    await bench.put("q", "a");
    expect(await resent(bench, "cancel.many", "a", "x")).toEqual(["canceled", gone("x")]);
  });

  const many = Array.from({ length: 1001 }, (_, i) => `j${i}`);
  const BAD: BadCall[] = [
    ["no jids", [], 'Arg "jids" missing'],
    ["an empty jid", ["a", ""], /^Arg "jids" must be/],
    ["a jid that cannot be", ["a\t"], /^Arg "jids" must be/],
    ["too many jids", many, "More than 1000 jobs in one call"],
  ];

  test("refuses arguments that cannot be, and changes nothing", async () => {
    const bench = await open();
    await bench.put("q", "a");
    await refusesEach(bench, "cancel.many", BAD);
  });
});
