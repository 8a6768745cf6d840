import { expect, test } from "vitest";
import { everyServer } from "./support.ts";

everyServer("the seeds' interface", (open) => {
  test("takes, renews and completes work", async () => {
    const bench = await open();
    const added = await bench.post("/add/work", {
      host: "worker-1",
      data: [
        { meta: "foo", id: "deadbeef1" },
        { meta: { name: "howdy" }, id: "aed292fed" },
      ],
    });
    expect(added).toMatchObject({ status: 200, body: { results: ["deadbeef1", "aed292fed"] } });

    const taken = await bench.get("/get/work/2?host=worker-1");
    expect(taken.body).toMatchObject({
      results: [
        { meta: "foo", id: "deadbeef1", queue: "work", heartbeat: 60 },
        { meta: { name: "howdy" }, id: "aed292fed", queue: "work", heartbeat: 60 },
      ],
    });
    expect(taken.body.time.total).toBeGreaterThan(0);
    const [first, second] = taken.body.results;
    expect(second.lease).toBe(first.lease + 1);

    await bench.client.config.setQueue("work", "heartbeat", "5m");
    const beaten = await bench.post("/heartbeat/work", {
      host: "worker-1",
      data: ["aed292fed", "nobody"],
    });
    expect(beaten.body.results).toEqual([300, false]);
    expect(beaten.body.refused).toMatchObject([{ id: "nobody", code: "NO_SUCH_JOB" }]);

    const completed = await bench.post("/complete/work", {
      host: "worker-1",
      data: [
        { id: "deadbeef1", meta: { sent: true } },
        { id: "gone", meta: 1 },
        { id: "aed292fed" },
      ],
    });
    expect(completed.body.results).toEqual(["deadbeef1", "aed292fed"]);
    expect(completed.body.refused).toMatchObject([{ id: "gone", code: "NO_SUCH_JOB" }]);
    expect((await bench.client.get("deadbeef1"))!.data).toEqual({ sent: true });
    expect((await bench.client.get("aed292fed"))!.data).toEqual({ name: "howdy" });
  });

  test("gives one job where one is asked for, and null where there is none", async () => {
    const bench = await open();
    expect((await bench.get("/get/q")).body.results).toBeNull();
    expect((await bench.get("/get/q/1")).body.results).toBeNull();
    expect((await bench.get("/get/q/5")).body.results).toEqual([]);
    await bench.post("/add/q", { data: [{ meta: 1 }, { meta: 2 }, { meta: 3 }] });
    expect((await bench.get("/get/q")).body.results).toMatchObject({ meta: 1 });
    expect((await bench.get("/get/q/1")).body.results).toMatchObject({ meta: 2 });
    expect((await bench.post("/get/q/5", {})).body.results).toMatchObject([{ meta: 3 }]);
  });

  test("names a worker by its address where it does not say who it is", async () => {
    const bench = await open();
    await bench.post("/add/q", { data: [{ meta: 1, id: "a" }] });
    await bench.get("/get/q");
    expect((await bench.client.get("a"))!.worker).toBe("127.0.0.1");
  });

  test("tells the cutoff of the queue, or of the job itself", async () => {
    const bench = await open();
    await bench.client.config.setQueue("q", "cutoff", "10m");
    await bench.post("/add/q", { data: [{ meta: 1 }, { meta: 2, cutoff: 30 }] });
    const { results } = (await bench.get("/get/q/2")).body;
    expect(results.map(({ cutoff }: { cutoff: number }) => cutoff)).toEqual([600, 30]);
  });

  test("puts each job for itself, and says which were refused", async () => {
    const bench = await open();
    const { body } = await bench.post("/add/q", {
      data: [
        { meta: 1, id: "a", priority: 3, tags: ["x"], stranger: true },
        { meta: 2, id: "b", depends: ["b"] },
        { meta: 3, id: "c" },
      ],
    });
    expect(body.results).toEqual(["a", false, "c"]);
    expect(body.refused).toMatchObject([{ id: "b", code: "CYCLE" }]);
    expect(await bench.client.get("a")).toMatchObject({ klass: "q", priority: 3, tags: ["x"] });
  });

  test("refuses to complete in another queue, or what another holds", async () => {
    const bench = await open();
    await bench.post("/add/q", { data: [{ meta: 1, id: "a" }] });
    await bench.get("/get/q?host=w");
    const data = [{ id: "a", meta: 2 }];
    const elsewhere = await bench.post("/complete/other", { host: "w", data });
    expect(elsewhere.body).toMatchObject({ results: [], refused: [{ code: "WRONG_QUEUE" }] });
    const stranger = await bench.post("/complete/q", { host: "x", data });
    expect(stranger.body).toMatchObject({ results: [], refused: [{ code: "LOCK_LOST" }] });
    const late = await bench.post("/complete/q", { host: "w", data: [{ ...data[0], lease: 99 }] });
    expect(late.body.refused).toMatchObject([{ code: "LOCK_LOST" }]);
  });

  test("shows queues and jobs", async () => {
    const bench = await open();
    await bench.post("/add/q", { data: [{ meta: { n: 1 }, id: "a" }] });
    expect((await bench.get("/queues")).body.results).toMatchObject([
      { name: "q", waiting: 1, running: 0, scheduled: 0 },
    ]);
    expect((await bench.get("/job/a")).body.results).toMatchObject({
      id: "a",
      state: "waiting",
      queue: "q",
      meta: { n: 1 },
    });
  });

  test("answers errors in the same envelope, with a status that fits", async () => {
    const bench = await open();
    const missing = await bench.get("/job/nobody");
    expect(missing).toMatchObject({ status: 404, body: { results: null, code: "NO_SUCH_JOB" } });
    expect(missing.body.error).toBe('There is no job "nobody"');
    const wrong = await bench.post("/heartbeat/q", { data: "a" });
    expect(wrong).toMatchObject({ status: 400, body: { results: null } });
    expect(wrong.body.error).toBe("data must be a list of at most 500 ids");
    expect((await bench.get("/get/q/0")).body.error).toBe(
      "count must be a whole number from 1 to 500",
    );
    expect((await bench.post("/add/q", "{")).status).toBe(400);
    const elsewhere = await bench.ask("DELETE", "/queues");
    expect(elsewhere).toMatchObject({ status: 405, body: { results: null, code: "BAD_METHOD" } });
    expect(elsewhere.headers.get("allow")).toBe("GET, HEAD");
    const form = await bench.post("/add/q", "data=1", { "content-type": "text/plain" });
    expect(form).toMatchObject({ status: 415, body: { results: null } });
  });

  test("waits for work where it is asked to", async () => {
    const bench = await open();
    const waiting = bench.get("/get/q?host=w&wait=20");
    await new Promise((resolve) => setTimeout(resolve, 50));
    await bench.client.put("q", 7);
    expect((await waiting).body.results).toMatchObject({ meta: 7 });
  });
});
