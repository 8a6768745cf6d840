import { expect, test } from "vitest";
import { everyEngine, jidsOf, refused } from "./engines.ts";
import { FIRST, putCron } from "./schedules.ts";
import { heard } from "./told.ts";

const words = (text: string) => text.split(" ");

/** Names that would be trouble for a careless hand. */
const NAMES = [
  ...words("constructor __proto__ toString hasOwnProperty length undefined null nan true all 0 00"),
  ...words(
    "a-history a-work a-dependencies a-dependents jobs a:jobs log w:w a:b : :: a/b .. -1 1e3",
  ),
  ...words("{x} { } * ? [a] a* %s %d1 $1 ^.-+$ a\\b \\ a,b a|b @ a@b # 'single' `back` <b> &amp;"),
  ...words("é e\u0301 ß 你好 😀 👩‍👩‍👧‍👦 𝒜 \u00a0 \u200b \u2028 \ufeff \uffee"),
  ...[" ", "  leading", "trailing ", "two words", '"quotes"', "x".repeat(255)],
  `${"é".repeat(127)}x`,
];

everyEngine("a name", (open) => {
  test("may be a jid, and is no other job's", async () => {
    const bench = await open();
    for (const jid of NAMES) await bench.put("q", jid, { data: JSON.stringify(jid) });
    const jobs: { jid: string; data: string }[] = await bench.json("multiget", ...NAMES);
    expect(jobs.map(({ jid }) => jid)).toEqual(NAMES);
    expect(jobs.map(({ data }) => JSON.parse(data))).toEqual(NAMES);
    expect(await bench.call("jobs", "waiting", "q", 0, -1)).toEqual(NAMES);
    await bench.put("q", "last", { depends: NAMES });
    expect(new Set((await bench.json("get", "last")).dependencies)).toEqual(new Set(NAMES));
    for (const jid of NAMES) {
      await bench.call("track", "track", jid);
      await bench.call("log", jid, "message");
      await bench.call("priority", jid, 1);
    }
    expect(jidsOf(await bench.pop("q", "w", 100))).toEqual(NAMES);
    for (const jid of NAMES) {
      expect(await bench.json("get", jid)).toMatchObject({ jid, tracked: true, worker: "w" });
      expect((await bench.json("explain", jid)).reasons[0]).toMatchObject({ reason: "locked" });
      expect(await bench.call("heartbeat", jid, "w")).toBe(bench.now + 60);
      expect(await bench.call("complete", jid, "w", "q", "{}")).toBe("complete");
    }
    expect(jidsOf(await bench.pop("q", "w"))).toEqual(["last"]);
    expect(new Set((await bench.call("jobs", "complete", 0, -1)) as string[])).toEqual(
      new Set(NAMES),
    );
  });

  test("may be a jid in a batch, and of a canceled job", async () => {
    const bench = await open();
    await bench.call("put.many", "w", ...NAMES.flatMap((jid) => ["q", jid, "k", "{}", 0, 0]));
    const popped = await bench.pop("q", "w", 100);
    expect(jidsOf(popped)).toEqual(NAMES);
    const beats = popped.flatMap(({ jid, lease }) => [jid, lease, ""]);
    const answers = await bench.call("heartbeat.many", "w", ...beats);
    expect(answers).toEqual(NAMES.map(() => "1000060"));
    const outcomes = popped.flatMap(({ jid, lease }) => ["retry", jid, lease, 0]);
    await bench.call("finish", "w", 0, "[]", ...outcomes);
    await bench.call("pop", "q", "w", 100);
    await bench.call("timeout", ...NAMES);
    expect(await bench.call("cancel", ...NAMES)).toEqual(NAMES);
    expect(await bench.call("length", "q")).toBe(0);
  });

  test("may be a queue, and is no other queue", async () => {
    const bench = await open();
    for (const [i, queue] of NAMES.entries()) {
      bench.later(1);
      await bench.put(queue, `in ${i}`);
      await bench.put(queue, `later ${i}`, { delay: 1000 });
    }
    const queues: { name: string }[] = await bench.json("queues");
    expect(queues.map(({ name }) => name)).toEqual(NAMES);
    for (const [i, queue] of NAMES.entries()) {
      expect(await bench.json("queues", queue)).toMatchObject({ waiting: 1, scheduled: 1 });
      const [job] = await bench.pop(queue, "w", 10);
      expect(job).toMatchObject({ jid: `in ${i}`, queue });
      expect(await bench.call("complete", job!.jid, "w", queue, "{}")).toBe("complete");
      expect((await bench.json("stats", queue, bench.now)).run.count).toBe(1);
      await bench.call("pause", queue);
    }
    expect(await bench.later(1000).json("tick")).toMatchObject({ moved: 10, more: true });
    for (let i = 0; i < 10; i++) await bench.call("tick");
    for (const queue of NAMES) {
      expect(await bench.json("queues", queue)).toMatchObject({ waiting: 1, paused: true });
    }
    await bench.call("unpause", ...NAMES);
    const also = JSON.stringify(NAMES.slice(1));
    expect(await bench.call("pop", NAMES[0]!, "w", 1000, "also", also)).toHaveLength(NAMES.length);
    await bench.call("queue.forget", ...NAMES);
    expect(await bench.json("queues")).toEqual([]);
  });

  test("may be a queue with settings of its own", async () => {
    const bench = await open();
    const queues = NAMES.filter((name) => Buffer.byteLength(name) < 200);
    for (const [i, queue] of queues.entries()) {
      await bench.call("config.set", `${queue}-heartbeat`, i + 1);
    }
    for (const [i, queue] of queues.entries()) {
      await bench.put(queue, `in ${queue}`);
      const [job] = await bench.pop(queue, "w");
      expect(job!.expires - bench.now, queue).toBe(i + 1);
    }
  });

  test("may be a worker, and is no other worker", async () => {
    const bench = await open();
    for (const [i, worker] of NAMES.entries()) {
      await bench.put("q", `of ${i}`, { worker });
      await bench.later(1).pop("q", worker);
    }
    const workers: { name: string; jobs: number }[] = await bench.json("workers");
    expect(workers.map(({ name }) => name)).toEqual([...NAMES].reverse());
    expect(workers.every(({ jobs }) => jobs === 1)).toBe(true);
    for (const [i, worker] of NAMES.entries()) {
      const jid = `of ${i}`;
      expect(await bench.json("workers", worker)).toEqual({ jobs: [jid], stalled: [] });
      expect(await bench.json("get", jid)).toMatchObject({ worker });
      await bench.call("heartbeat", jid, worker);
      await refused(bench.call("heartbeat", jid, `${worker.slice(0, 100)}!`), "LOCK_LOST");
      const events = await heard(bench, () => bench.call("timeout", jid));
      const message = { event: "lock_lost", jid, worker };
      expect(events).toEqual([
        [`w:${worker}`, message],
        ["log", message],
      ]);
    }
    await bench.call("worker.deregister", ...NAMES);
    expect(await bench.json("workers")).toEqual([]);
  });

  test("may be a klass", async () => {
    const bench = await open();
    for (const [i, klass] of NAMES.entries()) {
      await bench.put("q", `j${i}`, { klass });
      expect(await bench.json("get", `j${i}`)).toMatchObject({ klass });
      expect(await bench.pop("q", "w")).toMatchObject([{ klass }]);
    }
  });

  test("may be a tag, and is no other tag", async () => {
    const bench = await open();
    await bench.put("q", "all", { tags: NAMES });
    expect((await bench.json("get", "all")).tags).toEqual(NAMES);
    for (const [i, tag] of NAMES.entries()) {
      await bench.put("q", `j${i}`);
      expect(await bench.json("tag", "add", `j${i}`, tag)).toEqual([tag]);
      expect(await bench.json("tag", "get", tag)).toEqual({ total: 2, jobs: ["all", `j${i}`] });
    }
    expect(new Set(await bench.json("tag", "top", 0, -1))).toEqual(new Set(NAMES));
    expect((await bench.pop("q", "w"))[0]!.tags).toEqual(NAMES);
    expect(await bench.json("tag", "remove", "all", ...NAMES)).toEqual([]);
    expect(await bench.json("tag", "top")).toEqual([]);
  });

  test("may be a group of failures, and is no other group", async () => {
    const bench = await open();
    for (const [i, group] of NAMES.entries()) {
      await bench.put("q", `j${i}`);
      await bench.pop("q", "w");
      await bench.call("fail", `j${i}`, "w", group, "message");
      expect(await bench.json("get", `j${i}`)).toMatchObject({ failure: { group } });
      expect(await bench.json("failed", group)).toEqual({ total: 1, jobs: [`j${i}`] });
    }
    const groups = await bench.json("failed");
    expect(new Set(Object.keys(groups))).toEqual(new Set(NAMES));
    for (const group of NAMES) expect(await bench.call("unfail", "q", group)).toBe(1);
    expect(await bench.json("failed")).toEqual({});
  });

  test("may be a source", async () => {
    const bench = await open();
    for (const [i, source] of NAMES.entries()) {
      await bench.put("q", `j${i}`, { source });
      expect(await bench.json("get", `j${i}`)).toMatchObject({ source });
      expect(await bench.pop("q", "w")).toMatchObject([{ source }]);
    }
  });

  test("may be a setting, and is no other setting", async () => {
    const bench = await open();
    for (const option of NAMES) await bench.call("config.set", option, `value of ${option}`);
    const all = await bench.json("config.get");
    for (const option of NAMES) {
      expect(await bench.call("config.get", option)).toBe(`value of ${option}`);
      expect(Object.hasOwn(all, option)).toBe(true);
      await bench.call("config.unset", option);
      expect(await bench.call("config.get", option)).toBe(false);
    }
  });

  test("may be a recurring job, and is no other one", async () => {
    const bench = await open();
    const jids = NAMES.filter((name) => Buffer.byteLength(name) < 250);
    for (const jid of jids) {
      await bench.call(
        "recur",
        jid,
        jid,
        jid,
        "{}",
        "interval",
        60,
        0,
        "tags",
        JSON.stringify([jid]),
      );
      expect(await bench.json("recur.get", jid)).toMatchObject({ jid, queue: jid, klass: jid });
    }
    for (const jid of jids) {
      const [child] = await bench.pop(jid, "w", 10);
      expect(child).toMatchObject({ jid: `${jid}-1`, spawned_from_jid: jid, tags: [jid] });
      expect(await bench.json("recur.tag", jid, "x")).toEqual([jid, "x"]);
      await bench.call("unrecur", jid);
      expect(await bench.json("recur.get", jid)).toBeNull();
    }
  });

  test("may be a schedule, and is no other one", async () => {
    const bench = await open();
    const jids = NAMES.filter((name) => Buffer.byteLength(name) <= 240);
    for (const jid of jids) {
      await putCron(bench, { jid, queue: jid, klass: jid, cron: jid, zone: jid, tags: [jid] });
    }
    const listed: { jid: string }[] = await bench.json("cron.list", 0, 1000);
    expect(new Set(listed.map(({ jid }) => jid))).toEqual(new Set(jids));
    for (const jid of jids) {
      const said = { jid, queue: jid, klass: jid, cron: jid, zone: jid, tags: [jid] };
      expect(await bench.json("cron.get", jid)).toMatchObject(said);
      const child = `${jid}-${FIRST}`;
      expect(await bench.call("cron.fire", jid, FIRST, FIRST + 60)).toBe(child);
      expect(await bench.pop(jid, "w", 10)).toMatchObject([{ jid: child, spawned_from_jid: jid }]);
      await bench.call("cron.pause", jid);
      expect(await bench.call("cron.drop", jid)).toBe(1);
    }
    expect(await bench.json("cron.list")).toEqual([]);
  });

  test("of a recurring job may be so long that its children's are too long for a name", async () => {
    const bench = await open();
    const jid = "r".repeat(255);
    const recur = bench.call("recur", "q", jid, "klass", "{}", "interval", 60, 0);
    const accepted = await recur.then(
      () => true,
      () => false,
    );
    if (!accepted) return;
    const [child] = await bench.pop("q", "w");
    expect(await bench.call("complete", child!.jid, "w", "q", "{}")).toBe("complete");
  });
});
