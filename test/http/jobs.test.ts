import { expect, test } from "vitest";
import { defineJobs, payload } from "../../src/client/registry.ts";
import { openClient } from "../client/every-client.ts";
import { everyServer, served } from "./support.ts";

everyServer("jobs over HTTP", (open, place) => {
  test("are found by moments of any fineness", async () => {
    const bench = await open();
    await bench.post("/api/v1/jobs", { klass: "k", jid: "a" });
    const { status, body } = await bench.get("/api/v1/jobs?from=1763228312.1234567");
    expect([status, body.jobs.map(({ jid }: { jid: string }) => jid)]).toEqual([200, ["a"]]);
  });

  test("are put with everything that a put may say", async () => {
    const bench = await open();
    const { body } = await bench.post("/api/v1/jobs", {
      klass: "email",
      data: { to: "ada", list: [1, "é", null] },
      queue: "mail",
      jid: "a",
      priority: -2,
      delay: "1h",
      retries: 3,
      backoff: "exponential 5 cap 60",
      tags: ["x"],
      source: "shop",
      cutoff: 90,
      unique: { key: "u", until: "start" },
    });
    expect(body).toEqual({ jid: "a", outcome: "created" });
    expect((await bench.get("/api/v1/jobs/a")).body).toMatchObject({
      klass: "email",
      queue: "mail",
      state: "scheduled",
      data: { to: "ada", list: [1, "é", null] },
      priority: -2,
      retries: 3,
      backoff: "exponential 5 cap 60",
      tags: ["x"],
      source: "shop",
      cutoff: 90,
      unique: "u",
      history: [{ what: "put" }],
    });
    const again = await bench.post("/api/v1/jobs", { klass: "email", unique: { key: "u" } });
    expect(again.body).toEqual({ jid: "a", outcome: "kept" });
  });

  test("are put by hundreds, or not at all", async () => {
    const bench = await open();
    const jobs = Array.from({ length: 500 }, (_, i) => ({ klass: "k", data: i, jid: `j${i}` }));
    expect((await bench.post("/api/v1/jobs/batch", { jobs })).body.jobs).toHaveLength(500);
    const more = [...jobs, { klass: "k", data: 1 }];
    const long = await bench.post("/api/v1/jobs/batch", { jobs: more });
    expect(long).toMatchObject({ status: 400 });
    expect(long.body.error.message).toBe("jobs must be a list of 1 to 500 jobs");
    const wrong = [{ klass: "k" }, { klass: "k", jid: "x", depends: ["x"] }];
    const cycle = await bench.post("/api/v1/jobs/batch", { jobs: wrong });
    expect(cycle).toMatchObject({ status: 422, body: { error: { code: "CYCLE" } } });
    expect((await bench.client.queue("k").counts()).waiting).toBe(500);
  });

  test("are checked by the registry of the client", async () => {
    const jobs = defineJobs({ known: payload<{ n: number }>() });
    const client = await openClient(place, { jobs });
    const bench = await served(client as never);
    expect((await bench.post("/api/v1/jobs", { klass: "known", data: { n: 1 } })).status).toBe(200);
    const refused = await bench.post("/api/v1/jobs", { klass: "other", data: 1 });
    expect(refused.status).toBe(422);
    await bench.served.stop();
    await client.close();
  });

  test("are refused in one sentence that names the field", async () => {
    const bench = await open();
    const wrong: [body: unknown, says: string][] = [
      [{}, "klass is missing"],
      [{ klass: 1 }, "klass must be a text of 1 to 255 bytes without control characters"],
      [{ klass: "\u0001" }, "klass must be a text of 1 to 255 bytes without control characters"],
      [{ klass: "\ud800" }, "klass must be a text"],
      [{ klass: "k", tags: ["é".repeat(128)] }, "tags.0 must be a text of 1 to 255 bytes"],
      [{ klass: "k", prio: 1 }, "prio is not known here; there are klass, data"],
      [{ klass: "k", priority: "1" }, "priority must be a number from -1000000000 to 1000000000"],
      [{ klass: "k", tags: "a" }, "tags must be a list of at most 500 names"],
      [{ klass: "k", tags: [1] }, "tags.0 must be a text"],
      [{ klass: "k", unique: { untill: 1 } }, "unique must be a key, true for one made of klass"],
      [
        { klass: "k", delay: "soon" },
        "delay must be seconds, at most 1000000000, or a text such as",
      ],
      [{ klass: "k", delay: 1e10 }, "delay must be seconds, at most 1000000000, or a text such as"],
      [{ klass: "k", at: 5e9 }, "in the form of ISO 8601; before the year 2109"],
      [{ klass: "k", at: "tomorrow" }, "at must be seconds since 1970, or a date and time in the"],
      [[], "The body must be an object"],
      ["null", "The body must be an object"],
      ['{"klass":"k","__proto__":{}}', "The body is not JSON in UTF-8, or has a member __proto__"],
      [
        `${"[".repeat(65)}${"]".repeat(65)}`,
        "The body nests lists and objects more than 64 levels",
      ],
    ];
    for (const [body, says] of wrong) {
      const answer = await bench.post("/api/v1/jobs", body);
      expect([400, 422]).toContain(answer.status);
      expect(answer.body.error.message).toContain(says);
    }
    const late: [body: object, says: string][] = [
      [{ klass: "k", delay: 5, at: 5 }, "Use delay or at, not both"],
      [{ klass: "k", delay: "36500d" }, 'delay must be at most "11574d", not "36500d"'],
      [{ klass: "k", cutoff: "600000w" }, 'cutoff must be at most "11574d", not "600000w"'],
      [{ klass: "k", at: "2200-01-01" }, "at must be before 2109-05-15"],
      [{ klass: "k", at: "2030-01-01T25:00" }, "such as 2031-01-31T06:00:00Z, not"],
    ];
    for (const [body, says] of late) {
      const answer = await bench.post("/api/v1/jobs", body);
      expect(answer).toMatchObject({ status: 422 });
      expect(answer.body.error.message).toContain(says);
    }
    expect(await bench.client.queues()).toEqual([]);
  });

  test("have any name that the queue takes, in any path", async () => {
    const bench = await open();
    for (const jid of ["a/b", "a b", "é𝒜", "%2F", "..", "constructor", "x".repeat(255), "a?b#c"]) {
      await bench.client.put("k", { jid }, { jid });
      const answer = await bench.get(`/api/v1/jobs/${encodeURIComponent(jid)}`);
      // A browser and fetch take two dots out of a path before they send it.
      if (jid !== "..") expect(answer.body, jid).toMatchObject({ jid, data: { jid } });
    }
  });

  test("keep data that some other program put and that is no JSON", async () => {
    const bench = await open();
    await bench.client.engine.call("put", ["w", "q", "a", "k", "not json", 0]);
    expect((await bench.get("/api/v1/jobs/a")).body.data).toBe("not json");
    expect((await bench.get("/get/q")).body.results.meta).toBe("not json");
  });

  test("are found page by page", async () => {
    const bench = await open();
    for (let i = 0; i < 7; i++) await bench.client.put("k", i, { tags: i < 5 ? ["x"] : [] });
    const found: number[] = [];
    let cursor = "";
    do {
      const { body } = await bench.get(`/api/v1/jobs?tag=x&order=oldest&count=2&cursor=${cursor}`);
      found.push(...body.jobs.map(({ data }: { data: number }) => data));
      cursor = encodeURIComponent(body.cursor ?? "");
    } while (cursor !== "");
    expect(found.toSorted()).toEqual([0, 1, 2, 3, 4]);
    const wrong = await bench.get("/api/v1/jobs?tag=x&cursor=nonsense");
    expect(wrong.status).toBe(422);
    const states = "one of waiting, scheduled, depends, running, stalled, complete, failed";
    const { body } = await bench.get("/api/v1/jobs?state=lost");
    expect(body.error.message).toBe(`state must be ${states}`);
  });

  test("can be waited for", async () => {
    const bench = await open();
    await bench.client.put("k", 1, { jid: "a" });
    const pending = await bench.get("/api/v1/jobs/a/wait?wait=0.05");
    expect(pending.body).toEqual({ state: "pending", job: null });
    const waiting = bench.get("/api/v1/jobs/a/wait?wait=20");
    const [job] = await bench.client.queue("k").pop();
    await job!.complete({ data: 2 });
    expect((await waiting).body).toMatchObject({ state: "complete", job: { data: 2 } });
    expect((await bench.get("/api/v1/jobs/nobody/wait")).body).toMatchObject({ state: "gone" });
  });

  test("are answered with a conflict where their state does not allow it", async () => {
    const bench = await open();
    await bench.client.put("k", 1, { jid: "a" });
    const idle = await bench.post("/api/v1/jobs/a/timeout");
    expect(idle).toMatchObject({ status: 409, body: { error: { code: "NOT_RUNNING" } } });
    const missing = await bench.post("/api/v1/jobs/nobody/retry");
    expect(missing).toMatchObject({ status: 404, body: { error: { code: "NO_SUCH_JOB" } } });
  });
});

everyServer("what an operator does", (open) => {
  test("is noted in the history of the job and on the log", async () => {
    const lines: object[] = [];
    const note = (facts: object, sentence: string) => void lines.push({ ...facts, sentence });
    const logger = { debug: () => {}, info: note, warn: note, error: note };
    const bench = await open({ logger });
    await bench.client.put("k", 1, { jid: "a" });
    await bench.put("/api/v1/jobs/a/priority", { priority: 5 });
    await bench.post("/api/v1/queues/k/pause", { reason: "deploying" });
    await bench.post("/api/v1/bulk", {
      action: "tag",
      tags: ["x"],
      filter: { queue: "k" },
      wait: 10,
    });
    const { history } = (await bench.client.get("a"))!;
    expect(history.map(({ what, details }) => [what, details.action, details.by])).toEqual([
      ["put", undefined, undefined],
      ["operator", "priority", "anonymous"],
      ["operator", "tag", "anonymous"],
    ]);
    const by = { audit: true, by: "anonymous", address: "127.0.0.1" };
    expect(lines).toMatchObject([
      { ...by, action: "priority", to: "a", count: 1, sentence: "Operator: priority" },
      { ...by, action: "pause", to: "k", reason: "deploying" },
      { ...by, action: "bulk tag", count: 1, filter: { queue: "k" } },
    ]);
  });

  test("is not noted when it was refused", async () => {
    const lines: object[] = [];
    const note = (facts: object) => void lines.push(facts);
    const logger = { debug: () => {}, info: note, warn: note, error: note };
    const bench = await open({ logger });
    await bench.post("/api/v1/jobs/nobody/retry");
    await bench.put("/api/v1/config/heartbeats", { value: 1 });
    await bench.put("/api/v1/config/heartbeat", { value: "x" });
    expect(lines).toEqual([]);
  });
});
