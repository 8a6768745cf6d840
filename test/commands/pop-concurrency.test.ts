import { expect, test } from "vitest";
import { type Bench, everyEngine, jidsOf, popped } from "../engines.ts";

/** A queue of five jobs of which two may run at once. */
async function limited(bench: Bench): Promise<Bench> {
  await bench.call("config.set", "q-max-concurrency", 2);
  for (const jid of ["a", "b", "c", "d", "e"]) await bench.put("q", jid);
  return bench;
}

everyEngine("pop with max-concurrency", (open) => {
  test("hands out no more than may run at once", async () => {
    const bench = await limited(await open());
    expect(jidsOf(await bench.pop("q", "w", 5))).toEqual(["a", "b"]);
    expect(await bench.pop("q", "v", 5)).toEqual([]);
  });

  test.each(["complete", "fail", "retry", "cancel", "put", "timeout"] as const)(
    "hands out the next job after a %s",
    async (verb) => {
      const bench = await limited(await open());
      await bench.pop("q", "w", 2);
      if (verb === "complete") await bench.call(verb, "a", "w", "q", "{}");
      if (verb === "fail") await bench.call(verb, "a", "w", "group", "message");
      if (verb === "retry") await bench.call(verb, "a", "q", "w");
      if (verb === "cancel" || verb === "timeout") await bench.call(verb, "a");
      if (verb === "put") await bench.put("r", "a");
      const next = verb === "timeout" ? "a" : "c";
      expect(jidsOf(await bench.pop("q", "w", 5))).toEqual([next]);
    },
  );

  test("counts a lock that has expired until it is taken away", async () => {
    const bench = await limited(await open());
    await bench.pop("q", "w", 2);
    expect(await bench.later(60).pop("q", "v", 5)).toEqual([]);
    expect(await bench.later(9).pop("q", "v", 5)).toEqual([]);
    expect(await bench.json("queues", "q")).toMatchObject({ running: 2, waiting: 3 });
    expect(jidsOf(await bench.later(1).pop("q", "v", 5))).toEqual(["a", "b"]);
  });

  test("hands out a lost job that expires this very moment", async () => {
    const bench = await limited(await open());
    await bench.call("config.set", "grace-period", 0);
    await bench.pop("q", "w", 2);
    expect(jidsOf(await bench.at(1_000_060).pop("q", "v", 5))).toEqual(["a", "b"]);
  });

  test("counts the jobs of one worker that was warned and of one that was not", async () => {
    const bench = await limited(await open());
    await bench.pop("q", "w");
    await bench.later(30).pop("q", "v");
    await bench.later(30).pop("q", "u", 5);
    expect(await bench.later(10).pop("q", "u", 5)).toMatchObject([{ jid: "a", remaining: 4 }]);
    expect(await bench.pop("q", "u", 5)).toEqual([]);
  });

  test("stops no running job when the limit is lowered", async () => {
    const bench = await limited(await open());
    await bench.pop("q", "w", 2);
    await bench.call("config.set", "q-max-concurrency", 1);
    expect(await bench.json("queues", "q")).toMatchObject({ running: 2 });
    await bench.call("complete", "a", "w", "q", "{}");
    expect(await bench.pop("q", "w", 5)).toEqual([]);
    await bench.call("complete", "b", "w", "q", "{}");
    expect(jidsOf(await bench.pop("q", "w", 5))).toEqual(["c"]);
  });

  test("hands out more when the limit is raised or taken away", async () => {
    const bench = await limited(await open());
    await bench.pop("q", "w", 2);
    await bench.call("config.set", "q-max-concurrency", 3);
    expect(jidsOf(await bench.pop("q", "w", 5))).toEqual(["c"]);
    await bench.call("config.unset", "q-max-concurrency");
    expect(jidsOf(await bench.pop("q", "w", 5))).toEqual(["d", "e"]);
  });

  test("takes a limit of 0 for none", async () => {
    const bench = await limited(await open());
    await bench.call("config.set", "q-max-concurrency", 0);
    expect(await bench.pop("q", "w", 5)).toHaveLength(5);
  });

  test("limits each queue by itself", async () => {
    const bench = await limited(await open());
    for (const jid of ["x", "y", "z"]) await bench.put("r", jid);
    const jobs = popped(await bench.call("pop", "q", "w", 9, "also", '["r"]'));
    expect(jidsOf(jobs)).toEqual(["a", "b", "x", "y", "z"]);
  });

  test("makes the worker known that finds no room", async () => {
    const bench = await limited(await open());
    await bench.pop("q", "w", 2);
    await bench.pop("q", "v", 2);
    expect(await bench.json("workers")).toMatchObject([{ name: "w" }, { name: "v" }]);
  });

  test("still warns, promotes and spawns when there is no room", async () => {
    const bench = await limited(await open());
    await bench.put("q", "due", { delay: 60 });
    await bench.call("recur", "q", "r", "klass", "{}", "interval", 1000, 60);
    await bench.pop("q", "w", 2);
    await bench.at(1_000_060).pop("q", "v", 5);
    expect(await bench.json("stats", "q", bench.now)).toMatchObject({ retries: 2 });
    expect(await bench.json("queues", "q")).toMatchObject({ waiting: 5, scheduled: 0 });
  });

  test("lets a renewed lock keep its room", async () => {
    const bench = await limited(await open());
    await bench.pop("q", "w", 2);
    await bench.later(59).call("heartbeat", "a", "w");
    await bench.later(10).pop("q", "v", 5);
    expect(jidsOf(await bench.later(10).pop("q", "v", 5))).toEqual(["b"]);
    expect(await bench.pop("q", "v", 5)).toEqual([]);
  });
});
