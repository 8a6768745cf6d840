import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/client/client.ts";
import { defineJobs } from "../../src/client/registry.ts";
import { everySite } from "../cli/support.ts";
import { openClient } from "../client/every-client.ts";
import { DELICATE, jsonText } from "../json/texts.ts";
import { type Bench, everyServer, served } from "./support.ts";

/** Expects that the first such member of an answer is the data, byte for byte. */
function expectData(answer: { status: number; text: string }, data: string, name = "data"): void {
  expect(answer.status, answer.text).toBe(200);
  const from = answer.text.indexOf(`"${name}":`) + name.length + 3;
  expect(answer.text.slice(from, from + data.length)).toBe(data);
  expect([",", "}"]).toContain(answer.text[from + data.length]);
}

const stored = async (client: Client, jid: string) => (await client.get(jid))!.rawData;

everyServer("job data over HTTP", (open) => {
  test("is stored and answered byte for byte by every route that has it", async () => {
    const bench = await open();
    const { client } = bench;
    for (const [i, data] of DELICATE.entries()) {
      const [q, jid] = [`q${i}`, `j${i}`];
      await bench.post(
        "/api/v1/jobs",
        `{"klass":"k","queue":"${q}","jid":"${jid}","data": ${data} }`,
      );
      expect(await stored(client, jid)).toBe(data);
      expectData(await bench.get(`/api/v1/jobs/${jid}`), data);
      expectData(await bench.post("/api/v1/jobs/get", { jids: [jid] }), data);
      expectData(await bench.get(`/api/v1/jobs?queue=${q}`), data);
      expectData(await bench.get(`/api/v1/queues/${q}/peek?count=1`), data);
      await bench.put(`/api/v1/jobs/${jid}/tracked`, { tracked: true });
      expectData(await bench.get(`/api/v1/tracked?offset=${i}&count=1`), data);
      expectData(await bench.get(`/job/${jid}`), data, "meta");
      expectData(await bench.post("/api/v1/pop", { queues: [q], worker: "w" }), data);
      const jobs = `{"worker":"w","jobs":[{"jid":"${jid}","data":[${data}]}]}`;
      await bench.post("/api/v1/heartbeat", jobs);
      expect(await stored(client, jid)).toBe(`[${data}]`);
      const end = `{"verb":"complete","jid":"${jid}","data":{"r": ${data}}}`;
      await bench.post("/api/v1/finish", `{"worker":"w","outcomes":[${end}]}`);
      expectData(await bench.get(`/api/v1/jobs/${jid}/wait`), `{"r": ${data}}`);
    }
  });

  test("of a failed job is kept byte for byte", async () => {
    const bench = await open();
    for (const [i, data] of DELICATE.entries()) {
      await bench.post("/api/v1/jobs", { klass: "k", jid: `j${i}` });
      const end = `{"verb":"fail","jid":"j${i}","group":"g","message":"m","data":${data}}`;
      await bench.post("/api/v1/pop", { queues: ["k"], worker: "w" });
      const { body } = await bench.post("/api/v1/finish", `{"worker":"w","outcomes":[${end}]}`);
      expect(body.outcomes).toEqual([{ jid: `j${i}`, value: "failed" }]);
      expect(await stored(bench.client, `j${i}`)).toBe(data);
    }
  });

  test("is kept byte for byte by many puts at once, and by the routes of the seeds", async () => {
    const bench = await open();
    const put = DELICATE.map((data, i) => `{"klass":"k","queue":"b","jid":"b${i}","data":${data}}`);
    await bench.post("/api/v1/jobs/batch", `{"jobs":[${put.join()}]}`);
    const add = DELICATE.map((data, i) => `{"id":"a${i}","meta":${data}}`);
    await bench.post("/add/a", `{"data":[${add.join()}]}`);
    for (const [i, data] of DELICATE.entries()) {
      expect(await stored(bench.client, `b${i}`)).toBe(data);
      expect(await stored(bench.client, `a${i}`)).toBe(data);
      expectData(await bench.get("/get/a?host=w"), data, "meta");
      const meta = `{"host":"w","data":[{"id":"a${i}","meta":{"was":${data}}}]}`;
      await bench.post("/complete/a", meta);
      expect(await stored(bench.client, `a${i}`)).toBe(`{"was":${data}}`);
    }
    const [job] = await bench.client.queue("b").pop();
    expect(job!.rawData).toBe(DELICATE[0]);
  });

  test("of recurring jobs and schedules is kept byte for byte, also in their children", async () => {
    const bench = await open();
    const data = DELICATE[0]!;
    const recurring = `{"klass":"k","queue":"r","interval":60,"data":${data}}`;
    await bench.put("/api/v1/recurring/r", recurring);
    await bench.put("/api/v1/schedules/s", `{"klass":"k","cron":"0 9 * * *","data":${data}}`);
    expectData(await bench.get("/api/v1/recurring/r"), data);
    expectData(await bench.get("/api/v1/recurring"), data);
    expectData(await bench.get("/api/v1/schedules/s"), data);
    expectData(await bench.get("/api/v1/schedules"), data);
    expectData(await bench.post("/api/v1/pop", { queues: ["r"], worker: "w" }), data);
  });

  test("comes byte for byte to a call that waits, and to the same call again", async () => {
    const bench = await open();
    const data = DELICATE[0]!;
    const waiting = bench.post("/api/v1/pop", { queues: ["k"], worker: "w", wait: 20 });
    await bench.post("/api/v1/jobs", `{"klass":"k","data":${data}}`);
    expectData(await waiting, data);
    await bench.post("/api/v1/jobs", `{"klass":"k","data":[${data}]}`);
    const key = { "idempotency-key": "one" };
    for (let i = 0; i < 2; i++) {
      const popped = await bench.post("/api/v1/pop", { queues: ["k"], worker: "w" }, key);
      expectData(popped, `[${data}]`);
    }
  });

  test("with another text is another request, although JavaScript reads the same", async () => {
    const bench = await open();
    const key = { "idempotency-key": "one" };
    const put = async (data: string) =>
      (await bench.post("/api/v1/jobs", `{"klass":"k","data":${data}}`, key)).body.jid;
    const jid = await put("12345678901234567890");
    expect(await put("12345678901234567890")).toBe(jid);
    expect(await put("12345678901234567891")).not.toBe(jid);
  });

  test("makes a unique key of its own for each large number", async () => {
    const bench = await open();
    const put = async (data: string) =>
      (await bench.post("/api/v1/jobs", `{"klass":"k","unique":true,"data":${data}}`)).body.outcome;
    expect(await put('{"id":12345678901234567890,"a":1}')).toBe("created");
    expect(await put('{"id":12345678901234567891,"a":1}')).toBe("created");
    expect(await put('{ "a":1.0, "id":12345678901234567890 }')).toBe("kept");
    const { outcome } = await bench.client.put("k", { a: 1 }, { unique: true });
    expect([outcome, await put('{"a":1.0}')]).toEqual(["created", "kept"]);
  });

  test("counts by its last member, as in JSON.parse", async () => {
    const bench = await open();
    await bench.post("/api/v1/jobs", '{"klass":"k","jid":"a","data":1.0,"d\\u0061ta":2.0}');
    expect(await stored(bench.client, "a")).toBe("2.0");
  });

  test("gives nobody a new prototype", async () => {
    const bench = await open();
    const evil = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    const put = await bench.post("/api/v1/jobs", `{"klass":"k","jid":"a","data":${evil}}`);
    expect(put.status).toBe(200);
    expectData(await bench.get("/api/v1/jobs/a"), evil);
    expect(await bench.post("/api/v1/jobs", evil)).toMatchObject({ status: 400 });
    expect(await bench.post("/add/q", `{"data":[${evil}]}`)).toMatchObject({ status: 400 });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

everyServer("any data", (open) => {
  test("is the same bytes after a put, a pop and a get", { timeout: 120_000 }, async () => {
    const bench = await open();
    let count = 0;
    const property = fc.asyncProperty(jsonText, async (data) => {
      count += 1;
      await exchange(bench, data, `j${count}`, `q${count}`);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});

async function exchange(bench: Bench, data: string, jid: string, queue: string): Promise<void> {
  const put = `{"data":${data},"klass":"k","jid":"${jid}","queue":"${queue}"}`;
  expect((await bench.post("/api/v1/jobs", put)).body).toEqual({ jid, outcome: "created" });
  expect(await stored(bench.client, jid)).toBe(data);
  expectData(await bench.get(`/api/v1/jobs/${jid}`), data);
  expectData(await bench.get(`/get/${queue}?host=w`), data, "meta");
}

everySite("data that was put over HTTP", (open) => {
  test("is the same bytes on the command line", { timeout: 60_000 }, async () => {
    const { client, qless } = await open();
    const bench = await served(client);
    const all = [...DELICATE, ...fc.sample(jsonText, { numRuns: 40, seed: 7 })];
    const jobs = all.map((data) => `{"klass":"k","data":${data}}`);
    await bench.post("/api/v1/jobs/batch", `{"jobs":[${jobs.join()}]}`);
    const { stdout } = await qless(["peek", "k", "--count", "100", "--json"]);
    const shown = JSON.parse(stdout) as { data: string }[];
    expect(shown.map(({ data }) => data)).toEqual(all);
  });
});

test("a schema is given a copy of the data, and the engine the text", async () => {
  const seen: unknown[] = [];
  const schema = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate(value: unknown) {
        seen.push(value);
        const { n } = value as { n: number };
        return n > 0 ? { value } : { issues: [{ message: "must be positive", path: ["n"] }] };
      },
    },
  };
  const client = await openClient("sqlite", { jobs: defineJobs({ k: schema }) });
  onTestFinished(() => client.close());
  const bench = await served(client as unknown as Client);
  const { body } = await bench.post("/api/v1/jobs", '{"klass":"k","data":{"n":1.0}}');
  expect([await stored(client as unknown as Client, body.jid), seen]).toEqual([
    '{"n":1.0}',
    [{ n: 1 }],
  ]);
  const refused = await bench.post("/api/v1/jobs", '{"klass":"k","data":{"n":-1}}');
  expect(refused.body.error.message).toContain("n: must be positive");
});
