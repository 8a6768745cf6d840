import { expect, test } from "vitest";
import { everyPython, held, pythonRun } from "./support.ts";

everyPython("the Python client", (open, way) => {
  const isHttp = way !== "redis";

  test("puts a job with all that can be said of it, and tells everything about it", async () => {
    const { client, python } = await open();
    const data = { text: 'é "𝒜"\n', list: [1, 2.5, null, true] };
    const told = { jid: "a", priority: -1.5, tags: ["x", "ü"], retries: 2, source: "shop" };
    const more = { backoff: "fixed 3", cutoff: 60, delay: 60 };
    expect(await python.call("put", ["q", "k", data], { ...told, ...more })).toBe("a");
    const job = await client.get("a");
    expect(job).toMatchObject({ klass: "k", state: "scheduled", data, ...told });
    expect(await python.call("get", ["a"])).toMatchObject({ ...told, data, cutoff: 60 });
    expect(await python.call("get", ["nobody"])).toBeNull();
    await python.call("put", ["q", "k", data], { jid: "b", depends: ["a"], delay: 1e-7 });
    expect((await python.call("get", ["a"])).dependents).toEqual(["b"]);
    const jid = await python.call("put", ["q", "k"]);
    expect((await client.get(jid))!.data).toBeNull();
  });

  test("asks for jobs and queues of any name, also of dots", async () => {
    const { client, python } = await open();
    for (const name of [".", "..", "-", "a/b?c", "%2e"]) {
      await client.queue(name).put("k", 1, { jid: name });
      expect(await python.call("get", [name])).toMatchObject({ jid: name, queue: name });
      expect((await python.call("explain", [name])).jid).toBe(name);
      expect(await python.call("queues", [name])).toMatchObject({ name, waiting: 1 });
      const today = await python.call("stats", [name], { day: Date.now() / 1000 });
      expect(today.wait.count).toBe(0);
    }
  });

  test("carries integers of any size", async () => {
    const { client, python, options } = await open();
    const module = isHttp ? "qless_http" : "qless";
    const printed = await pythonRun(
      `import json, sys, ${module}
client = ${module}.Client(**json.loads(sys.argv[1]))
jid = client.put("q", "k", {"id": 12345678901234567890}, jid="a")
[job] = client.pop("q")
client.complete(job, data={"id": job.data["id"] + 1})
print(client.get(jid)["data"]["id"])`,
      [JSON.stringify(options)],
    );
    expect(printed.trim()).toBe("12345678901234567891");
    expect((await client.get("a"))!.rawData).toBe('{"id": 12345678901234567891}');
    expect(await python.call("queues", ["q"])).toMatchObject({ name: "q", running: 0 });
  });

  test("keeps a job whose jid exists, unless it is told otherwise", async () => {
    const { client, python } = await open();
    expect(await python.call("put", ["q", "k", 1], { jid: "a" })).toBe("a");
    expect(await python.call("put", ["q", "k", 2], { jid: "a", priority: 3 })).toBe("a");
    const jobs = [
      { queue: "q", klass: "k", data: 3, jid: "a" },
      { queue: "q", klass: "k" },
    ];
    expect(await python.call("put_many", [jobs])).toEqual(["a", expect.any(String)]);
    expect(await client.get("a")).toMatchObject({ data: 1, priority: 0 });
    const refuse = { jid: "a", if_exists: "refuse" };
    expect(await python.refused("put", ["q", "k", 4], refuse)).toMatch(/^Refused JID_TAKEN/);
    await python.call("put", ["q", "k", 5], { jid: "a", if_exists: "replace" });
    expect((await client.get("a"))!.data).toBe(5);
  });

  test("meets the job that holds a unique key", async () => {
    const { client, python } = await open();
    const more = { conflict: "data", for: 60 };
    const unique = isHttp ? { unique: { key: "key", ...more } } : { unique: "key", ...more };
    const jid = await python.call("put", ["q", "k", 1], unique);
    expect(await python.call("put", ["q", "k", 2], unique)).toBe(jid);
    expect((await client.get(jid))!.data).toBe(2);
  });

  test("puts many jobs, or none", async () => {
    const { client, python } = await open();
    const jobs = [
      { queue: "q", klass: "k", data: 1, jid: "a" },
      { queue: "r", klass: "l", data: { n: 2 }, jid: "b", priority: 5, depends: ["a"] },
    ];
    expect(await python.call("put_many", [jobs])).toEqual(["a", "b"]);
    expect(await client.get("b")).toMatchObject({ queue: "r", klass: "l", state: "depends" });
    const wrong = [
      { queue: "q", klass: "k", jid: "c" },
      { queue: "q", klass: "" },
    ];
    expect(await python.refused("put_many", [wrong])).toMatch(/^Refused BAD_/);
    expect(await client.get("c")).toBeUndefined();
  });

  test("takes jobs in the order of queues and priorities, with what pop tells", async () => {
    const { client, python } = await open();
    await client.queue("q").put("k", { n: 1 }, { jid: "a" });
    await client.queue("r").put("l", "text", { jid: "b", priority: 2, tags: ["t"], retries: 1 });
    const jobs = await python.call("pop", [["r", "q"]], { count: 5 });
    expect(jobs).toMatchObject([
      { jid: "b", klass: "l", queue: "r", data: "text", priority: 2, tags: ["t"], retries: 1 },
      { jid: "a", klass: "k", queue: "q", data: { n: 1 }, priority: 0, tags: [], retries: 5 },
    ]);
    expect((await client.get("b"))!.worker).toBe("py");
    expect(await python.call("pop", ["q"])).toEqual([]);
    for (const job of jobs) await python.call("complete", [held(job)]);
  });

  test("renews a lock, and keeps data with the job", async () => {
    const { client, python } = await open();
    await client.queue("q").put("k", 1, { jid: "a" });
    const [job] = await python.call("pop", ["q"]);
    expect(await python.call("heartbeat", [held(job)])).toBeGreaterThanOrEqual(job.expires);
    await python.call("heartbeat", [held(job)], { data: { page: 3 } });
    expect((await client.get("a"))!.data).toEqual({ page: 3 });
    await client.cancel(["a"]);
    expect(await python.refused("heartbeat", [held(job)])).toBe("Refused NO_SUCH_JOB");
  });

  test("completes jobs, with data and without, and sends them on", async () => {
    const { client, python } = await open();
    for (const jid of ["a", "b", "c"]) await client.queue("q").put("k", { jid }, { jid });
    const [a, b, c] = await python.call("pop", ["q"], { count: 3 });
    expect(await python.call("complete", [held(a)])).toBe("complete");
    expect(await python.call("complete", [held(b)], { data: null })).toBe("complete");
    const next = { data: { n: 2 }, next: "r", delay: 60 };
    expect(await python.call("complete", [held(c)], next)).toBe("scheduled");
    const [one, two, three] = await client.getMany(["a", "b", "c"]);
    expect([one!.data, two!.data, three!.data]).toEqual([{ jid: "a" }, null, { n: 2 }]);
    expect(three!.queue).toBe("r");
    expect(await python.refused("complete", [held(a)])).toBe("Refused NOT_RUNNING");
  });

  test("fails jobs and tries them again, and is refused what makes no sense", async () => {
    const { client, python } = await open();
    await client.queue("q").put("k", 1, { jid: "a", retries: 1 });
    await client.queue("q").put("k", 1, { jid: "b" });
    const [a, b] = await python.call("pop", ["q"], { count: 2 });
    expect(await python.call("retry", [held(a)], { delay: 0 })).toBe(0);
    await python.call("fail", [held(b), "smtp", "no route"], { data: { seen: true } });
    expect(await client.get("b")).toMatchObject({
      ...{ state: "failed", data: { seen: true } },
      failure: { group: "smtp", message: "no route", worker: "py" },
    });
    const [again] = await python.call("pop", ["q"]);
    const left = await python.call("retry", [held(again)], { group: "g", message: "m" });
    expect(left).toBe(-1);
    expect((await client.get("a"))!.failure?.group).toBe("g");
    expect(await python.refused("retry", [held(again)], { delay: -1e12 })).toMatch(/^Refused/);
    expect(await python.refused("retry", [held(again)], { nonsense: 1 })).toMatch(/^Refused BAD_/);
  });

  test("is refused as soon as somebody else holds the job", async () => {
    const { client, python } = await open();
    await client.queue("q").put("k", 1, { jid: "a" });
    const [job] = await python.call("pop", ["q"]);
    await (await client.get("a"))!.timeout();
    const [other] = await client.queue("q").pop({ worker: "w" });
    for (const method of ["heartbeat", "complete", "retry"]) {
      expect(await python.refused(method, [held(job)])).toBe("Refused LOCK_LOST");
    }
    await other!.complete();
  });

  test("cancels jobs, all or none", async () => {
    const { client, python } = await open();
    await client.queue("q").put("k", 1, { jid: "a" });
    await client.queue("q").put("k", 1, { jid: "b", depends: ["a"] });
    expect(await python.refused("cancel", ["a"])).toBe("Refused HAS_DEPENDENTS");
    await python.call("cancel", ["a", "b"]);
    expect(await client.getMany(["a", "b"])).toEqual([]);
  });

  test("explains, counts and tells statistics", async () => {
    const { client, python } = await open();
    await client.queue("q r").put("k", 1, { jid: "a/b ?", delay: "1h" });
    const told = await python.call("explain", ["a/b ?"]);
    expect(told).toMatchObject({ state: "scheduled", reasons: [{ reason: "scheduled" }, {}] });
    expect(await python.refused("explain", ["nobody"])).toBe("Refused NO_SUCH_JOB");
    expect(await python.call("queues")).toMatchObject([{ name: "q r", scheduled: 1 }]);
    expect(await python.call("queues", ["q r"])).toMatchObject({ name: "q r", scheduled: 1 });
    await client.queue("q").put("k", 1);
    await python.call("complete", [held((await python.call("pop", ["q"]))[0])]);
    expect(await python.call("stats", ["q"])).toMatchObject({ run: { count: 1 }, failed: 0 });
    expect(await python.call("stats", ["q"], { day: 0 })).toMatchObject({ run: { count: 0 } });
    expect(await python.refused("stats", [""])).toMatch(/^Refused/);
  });

  test("calls whatever else there is", async () => {
    const { client, python } = await open();
    await client.queue("q").put("k", 1, { jid: "a" });
    if (isHttp) await python.call("call", ["PUT", "/jobs/a/priority", { priority: 3 }]);
    else await python.call("call", ["priority", "a", 3]);
    expect((await client.get("a"))!.priority).toBe(3);
    const wrong = isHttp ? ["GET", "/nothing"] : ["nothing"];
    expect(await python.refused("call", wrong)).toBe(
      isHttp ? "Refused NO_SUCH_ROUTE" : "Refused NO_FUNCTION",
    );
  });

  test("refuses bad input with a sentence, and changes nothing", async () => {
    const { client, python } = await open();
    expect(await python.refused("put", ["", "k"])).toMatch(/^Refused BAD_/);
    expect(await python.refused("put", ["q", "k", 1], { prio: 1 })).toMatch(/^Refused BAD_/);
    expect(await python.refused("put", ["q", "k", 1], { priority: "high" })).toMatch(
      /^Refused BAD_/,
    );
    expect(await python.refused("put", ["q\ud800", "k", 1])).toMatch(
      isHttp ? /^Refused BAD_/ : /^UnicodeEncodeError/,
    );
    expect(await python.refused("pop", [[]])).toMatch(/^Refused BAD_/);
    expect(await python.refused("pop", ["q"], { count: -1 })).toMatch(/^Refused BAD_/);
    expect(await client.queues()).toEqual([]);
  });
});
