import { expect, test } from "vitest";
import { type Bench, everyEngine } from "./engines.ts";

everyEngine("names that look alike", (open) => {
  const suffixes = ["-work", "-locks", "-scheduled", "-depends", "-recur", ":jobs", "-1", " "];

  /** Puts a job in every state into a queue. */
  async function fill(bench: Bench, queue: string) {
    const jid = (state: string) => `${state} of ${queue}`;
    await bench.put(queue, jid("running"));
    await bench.pop(queue, `worker of ${queue}`);
    await bench.put(queue, jid("waiting"));
    await bench.put(queue, jid("scheduled"), { delay: 10 });
    await bench.put(queue, jid("depends"), { depends: [jid("running")] });
    await bench.call("recur", queue, jid("recurring"), "klass", "{}", "interval", 60, 10);
  }
  const counts = { waiting: 1, running: 1, scheduled: 1, depends: 1, recurring: 1, stalled: 0 };

  test("are queues apart", async () => {
    const bench = await open();
    const queues = ["q", ...suffixes.map((suffix) => `q${suffix}`), "q-work-work"];
    for (const queue of queues) await fill(bench, queue);
    for (const queue of queues) expect(await bench.json("queues", queue)).toMatchObject(counts);
    await bench.call("complete", "running of q", "worker of q", "q", "{}");
    for (const queue of queues.slice(1)) {
      expect(await bench.json("queues", queue)).toMatchObject(counts);
      expect((await bench.json("stats", queue, bench.now)).run.count).toBe(0);
    }
  });

  test("are jobs apart", async () => {
    const bench = await open();
    const endings = ["-dependencies", "-dependents", "-history", "-1", ":1", " "];
    const jids = ["a", ...endings.map((ending) => `a${ending}`)];
    await bench.put("q", "before");
    for (const jid of jids) await bench.put("q", jid, { depends: ["before"], data: `"${jid}"` });
    for (const jid of jids) {
      expect(await bench.json("get", jid)).toMatchObject({
        data: `"${jid}"`,
        dependencies: ["before"],
        dependents: [],
        history: [{ what: "put" }],
      });
    }
    await bench.call("depends", "a", "off", "all");
    await bench.call("cancel", "a");
    expect(await bench.call("jobs", "depends", "q")).toHaveLength(jids.length - 1);
  });

  test("are workers apart", async () => {
    const bench = await open();
    const workers = ["w", "w:jobs", "w:jobs:jobs", "w:w", "w "];
    for (const worker of workers) {
      await bench.put("q", `of ${worker}`);
      await bench.pop("q", worker);
    }
    for (const worker of workers) {
      expect((await bench.json("workers", worker)).jobs).toEqual([`of ${worker}`]);
    }
  });

  test("are a job and the child of a recurring one apart", async () => {
    const bench = await open();
    await bench.put("other", "r-1", { data: "1" });
    await bench.call("recur", "q", "r", "klass", "2", "interval", 60, 0);
    const [child] = await bench.pop("q", "w");
    expect(child).toMatchObject({ data: "2", spawned_from_jid: "r" });
    expect(child!.jid).not.toBe("r-1");
    expect(await bench.json("get", "r-1")).toMatchObject({ data: "1", queue: "other" });
  });

  test("are a tag, a source, a group, a queue and a job apart", async () => {
    const bench = await open();
    await bench.put("same", "same", { tags: ["same"], source: "same", klass: "same" });
    await bench.call("recur", "same", "same", "same", "{}", "interval", 60, 60);
    await bench.pop("same", "same");
    await bench.call("fail", "same", "same", "same", "message");
    await bench.call("config.set", "same", "value");
    await bench.call("pause", "same");
    expect(await bench.json("get", "same")).toMatchObject({ state: "failed", source: "same" });
    expect(await bench.json("failed")).toEqual({ same: 1 });
    await bench.call("cancel", "same");
    expect(await bench.json("recur.get", "same")).toMatchObject({ jid: "same" });
    expect(await bench.json("tag", "get", "same")).toEqual({ total: 0, jobs: [] });
    expect(await bench.json("queues", "same")).toMatchObject({ paused: true, recurring: 1 });
  });
});
