import { request } from "node:http";
import { expect, test } from "vitest";
import { ROUTES } from "../../src/http/table.ts";
import { type Bench, everyServer } from "./support.ts";

/** Sends a path as it is: fetch would resolve the dots in it. */
function raw(bench: Bench, method: string, path: string, body = "{}") {
  type Told = { status: number; text: string };
  return new Promise<Told>((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const { port } = bench;
    const asked = request({ host: "127.0.0.1", port, method, path, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode!, text }));
    });
    asked.on("error", reject);
    asked.end(method === "GET" || method === "DELETE" ? undefined : body);
  });
}

const NAMED = ROUTES.filter(({ path }) => path.includes(":"));

test("no route has a parameter in its path and another of that name in its query", () => {
  const both = NAMED.flatMap(({ method, path, params, query }) =>
    Object.keys(params.properties)
      .filter((name) => name in query.properties)
      .map((name) => `${method} ${path} ${name}`),
  );
  expect(both).toEqual([]);
});

everyServer("names in paths", (open) => {
  test.each([".", "..", "%2e", "%2E%2e", ".%2e", "%2e."])(
    "are refused by every route when they are %s",
    async (dots) => {
      const bench = await open();
      await bench.client.config.set("heartbeat", 77);
      const before = await bench.client.config.all();
      for (const { method, path } of NAMED) {
        const answer = await raw(bench, method, path.replaceAll(/:\w+/g, dots));
        const about = `${method} ${path} ${answer.text}`;
        expect(answer.status, about).toBe(400);
        expect(answer.text, about).toMatch(/cannot be \\?"\.\.?\\?" in a path.*put - in its place/);
      }
      expect(await bench.client.config.all()).toEqual(before);
    },
  );

  test("can be sent in the query, also when they are dots", async () => {
    const bench = await open();
    for (const name of [".", "..", "-", "a/b", "%2e%2e"]) {
      const q = `queue=${encodeURIComponent(name)}`;
      const jid = `jid=${encodeURIComponent(name)}`;
      await bench.post("/api/v1/jobs", { klass: "k", queue: name, jid: name, data: 1 });
      const { body } = await bench.get(`/api/v1/queues/-?${q}`);
      expect(body).toMatchObject({ name, waiting: 1 });
      expect((await bench.get(`/api/v1/queues/-/jobs?${q}&state=waiting`)).body.jids).toEqual([
        name,
      ]);
      expect((await bench.get(`/api/v1/jobs/-?${jid}`)).body).toMatchObject({
        jid: name,
        queue: name,
      });
      expect((await bench.get(`/job/-?id=${encodeURIComponent(name)}`)).body.results.id).toBe(name);
      await bench.put(`/api/v1/jobs/-/priority?${jid}`, { priority: 3 });
      expect((await bench.client.get(name))!.priority).toBe(3);
      await bench.post(`/api/v1/queues/-/pause?${q}`, { reason: "dots" });
      expect(await bench.client.queue(name).counts()).toMatchObject({ pausedReason: "dots" });
      await bench.post(`/api/v1/queues/-/unpause?${q}`);
      const taken = await bench.get(`/get/-?${q}&host=w`);
      expect(taken.body.results).toMatchObject({ id: name, queue: name });
      const done = await bench.post(`/complete/-?${q}`, { host: "w", data: [{ id: name }] });
      expect(done.body.results).toEqual([name]);
      const add = await bench.post(`/add/-?${q}`, {
        data: [{ id: name, meta: 2, if_exists: "replace" }],
      });
      expect(add.body.results).toEqual([name]);
      const some = await bench.get(`/get/-/2?${q}`);
      expect(some.body.results).toMatchObject([{ id: name, meta: 2 }]);
      expect((await bench.delete(`/api/v1/jobs/-?${jid}`)).status).toBe(200);
    }
  });

  test("can be sent in the query for groups, workers, keys, schedules and recurring jobs", async () => {
    const bench = await open();
    await bench.client.put("k", 1, { jid: "a", unique: ".." });
    const [job] = await bench.client.queue("k").pop({ worker: ".." });
    const worker = await bench.get("/api/v1/workers/-?worker=..");
    expect(worker.body.jobs).toEqual(["a"]);
    expect((await bench.get("/api/v1/unique/-?key=..")).body).toEqual({ jid: "a" });
    await job!.fail("..", "message");
    expect((await bench.get("/api/v1/failures/-?group=..")).body.jids).toEqual(["a"]);
    await bench.put("/api/v1/schedules/-?jid=..", { klass: "k", cron: "0 9 * * *" });
    expect((await bench.get("/api/v1/schedules/-?jid=..")).body.jid).toBe("..");
    await bench.delete("/api/v1/schedules/-?jid=..");
    await bench.put("/api/v1/recurring/-?jid=..", { klass: "k", interval: 60 });
    expect((await bench.get("/api/v1/recurring/-?jid=..")).body.jid).toBe("..");
  });

  test("in the query change the settings of that queue and of no other", async () => {
    const bench = await open();
    const path = "/api/v1/queues/-/config/heartbeat?queue=..";
    expect((await bench.put(path, { value: 5 })).status).toBe(200);
    const both = await bench.get("/api/v1/config");
    expect(both.body.config).toMatchObject({ heartbeat: 60, "..-heartbeat": 5 });
    expect((await bench.delete(path)).status).toBe(200);
    const twoNames = "/api/v1/queues/-/config/-?queue=..&name=heartbeat";
    expect((await bench.put(twoNames, { value: 7 })).status).toBe(200);
    expect((await bench.get("/api/v1/config")).body.config).toMatchObject({ "..-heartbeat": 7 });
  });

  test("are refused in path and query at the same time, and twice in the query", async () => {
    const bench = await open();
    const twice = await bench.get("/api/v1/queues/a?queue=b");
    expect([twice.status, twice.body.error.message]).toEqual([
      400,
      "queue is in the path and in the query; to send it in the query, put - in the path",
    ]);
    const list = await bench.get("/api/v1/queues/-?queue=a&queue=b");
    expect([list.status, list.body.error.message]).toEqual([
      400,
      "queue must be a text of 1 to 255 bytes without control characters",
    ]);
    expect((await bench.get("/api/v1/queues/-")).body).toMatchObject({ name: "-" });
  });
});
