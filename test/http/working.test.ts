import { connect } from "node:net";
import { expect, test, vi } from "vitest";
import { openClient } from "../client/every-client.ts";
import { type Bench, everyServer, served } from "./support.ts";

const soon = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Resolves when so many requests wait for jobs. */
const waiters = (bench: Bench, count: number) =>
  expect
    .poll(async () => (await bench.get("/metrics")).text, { timeout: 10_000 })
    .toContain(`qless_http_polls ${count}\n`);

/** Sends a request on a socket of its own, which is the caller's to close. */
function opened(bench: Bench, path: string, body: object) {
  const text = JSON.stringify(body);
  const socket = connect(bench.port, "127.0.0.1");
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
  return socket;
}

everyServer("a request that waits for jobs", (open, place) => {
  const pop = (bench: Bench, queues: string[], wait: number, worker = "w") =>
    bench.post("/api/v1/pop", { queues, worker, wait });

  test("is answered at once when a job arrives, whoever puts it", async () => {
    const bench = await open();
    const { namespace } = bench.client.engine;
    // Where others share the queue at all: memory is one process's own.
    const other = place === "redis" ? await openClient(place, { namespace }) : bench.client;
    const waiting = pop(bench, ["a", "b"], 20);
    await soon();
    const begun = performance.now();
    await other.put("b", 7);
    expect((await waiting).body.jobs).toMatchObject([{ queue: "b", data: 7, worker: "w" }]);
    expect(performance.now() - begun).toBeLessThan(1000);
    if (other !== bench.client) await other.close();
  });

  test("is answered when a job is due, though the server takes that to be sooner", async () => {
    const bench = await open();
    const { engine } = bench.client;
    const call = engine.call.bind(engine);
    vi.spyOn(engine, "call").mockImplementation(async (command, args, options) => {
      const reply = await call(command, args, options);
      if (command !== "cron.due") return reply;
      const told = JSON.parse(reply as string);
      return JSON.stringify({ ...told, now: told.now + 0.1 });
    });
    const waiting = pop(bench, ["q"], 20);
    await waiters(bench, 1);
    const begun = performance.now();
    await bench.client.put("q", 7, { delay: 300 });
    expect((await waiting).body.jobs).toMatchObject([{ data: 7 }]);
    expect(performance.now() - begun).toBeLessThan(4000);
  });

  test("is answered with nothing when its time is over", async () => {
    const bench = await open();
    const begun = performance.now();
    expect((await pop(bench, ["q"], 0.3)).body).toEqual({ jobs: [] });
    expect(performance.now() - begun).toBeGreaterThan(290);
  });

  test("shares what comes with the others, in their order", async () => {
    const bench = await open();
    const waiting: Promise<unknown>[] = [];
    for (let i = 0; i < 5; i++) {
      waiting.push(pop(bench, ["q"], 20, `w${i}`));
      await waiters(bench, i + 1);
    }
    const begun = performance.now();
    await bench.client
      .queue("q")
      .putMany(Array.from({ length: 5 }, (_, n) => ({ klass: "k", data: n })));
    const answers = (await Promise.all(waiting)) as { body: { jobs: { data: number }[] } }[];
    expect(answers.map(({ body }) => body.jobs.map(({ data }) => data))).toEqual([
      [0],
      [1],
      [2],
      [3],
      [4],
    ]);
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  test("gets a job when it is due, and when a pause ends", async () => {
    const bench = await open();
    const begun = performance.now();
    const waiting = pop(bench, ["q"], 20);
    await soon();
    await bench.client.put("q", 1, { delay: 300 });
    expect((await waiting).body.jobs).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(3000);
    await bench.client.put("q", 2);
    await bench.client.queue("q").pause({ for: 300 });
    expect((await pop(bench, ["q"], 20)).body.jobs).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(6000);
  });

  test("leaves the job to others when its caller has gone", async () => {
    const bench = await open();
    const gone = opened(bench, "/api/v1/pop", { queues: ["q"], worker: "gone", wait: 20 });
    await waiters(bench, 1);
    gone.destroy();
    await waiters(bench, 0);
    const waiting = pop(bench, ["q"], 20, "here");
    await soon();
    await bench.client.put("q", 1);
    expect((await waiting).body.jobs).toMatchObject([{ worker: "here" }]);
    expect((await bench.client.workers.get("gone")).jobs).toEqual([]);
  });

  test("is not all that listens: a server where nobody waits leaves jobs to others", async () => {
    const bench = await open();
    const other = await served(bench.client);
    expect((await pop(other, ["q"], 0.05)).body.jobs).toEqual([]);
    const waiting = pop(bench, ["q"], 20);
    await soon();
    await bench.client.put("q", 1);
    const begun = performance.now();
    expect((await waiting).body.jobs).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(2000);
  });

  test("is answered when the server stops", async () => {
    const bench = await open();
    const waiting = pop(bench, ["q"], 20);
    await waiters(bench, 1);
    const begun = performance.now();
    await bench.served.stop();
    expect(await waiting).toMatchObject({ status: 200, body: { jobs: [] } });
    expect(performance.now() - begun).toBeLessThan(900);
  });
});

everyServer("runs over HTTP", (open) => {
  test("are renewed and ended in batches, each for itself, with the next jobs", async () => {
    const bench = await open();
    for (const jid of ["a", "b", "c", "d"]) await bench.client.put("q", { jid }, { jid });
    const { jobs } = (await bench.post("/api/v1/pop", { queues: ["q"], worker: "w", count: 3 }))
      .body;
    const leases = jobs.map(({ jid, lease }: { jid: string; lease: number }) => ({ jid, lease }));
    const [a, b, c] = leases;
    const beats = await bench.post("/api/v1/heartbeat", {
      worker: "w",
      jobs: [
        { ...a, data: { kept: true } },
        { ...b, lease: 99 },
      ],
    });
    expect(beats.body.jobs).toMatchObject([
      { jid: "a", expires: expect.any(Number) },
      { jid: "b", error: { code: "LOCK_LOST" } },
    ]);
    const { body } = await bench.post("/api/v1/finish", {
      worker: "w",
      queues: ["q"],
      count: 5,
      outcomes: [
        { verb: "complete", ...a },
        { verb: "fail", ...b, group: "g", message: "m", data: 1 },
        { verb: "retry", ...c, delay: "1h", spend: false },
      ],
    });
    expect(body.outcomes).toEqual([
      { jid: "a", value: "complete" },
      { jid: "b", value: "failed" },
      { jid: "c", value: "5" },
    ]);
    expect(body.jobs).toMatchObject([{ jid: "d" }]);
    expect((await bench.client.get("a"))!.data).toEqual({ kept: true });
    expect(await bench.client.get("b")).toMatchObject({ state: "failed", data: 1 });
    expect((await bench.client.get("c"))!.state).toBe("scheduled");
  });

  test("are as many as one answer can carry, and the others go back", async () => {
    const bench = await open();
    const large = "x".repeat(9_000_000);
    for (const jid of ["a", "b", "c", "d", "e"]) await bench.client.put("q", large, { jid });
    const pop = () => bench.post("/api/v1/pop", { queues: ["q"], worker: "w", count: 5 });
    const first = (await pop()).body.jobs;
    expect(first.map(({ jid }: { jid: string }) => jid)).toEqual(["a", "b", "c"]);
    expect(await bench.client.queue("q").counts()).toMatchObject({ waiting: 2, running: 3 });
    expect(await bench.client.get("d")).toMatchObject({ remaining: 5 });
    expect((await pop()).body.jobs).toHaveLength(2);
  });

  test("are refused as a whole where an outcome makes no sense", async () => {
    const bench = await open();
    await bench.client.put("q", 1, { jid: "a" });
    await bench.post("/api/v1/pop", { queues: ["q"], worker: "w" });
    const outcomes = [
      { verb: "complete", jid: "a" },
      { verb: "fail", jid: "a" },
    ];
    const answer = await bench.post("/api/v1/finish", { worker: "w", outcomes });
    expect(answer.status).toBe(422);
    expect((await bench.client.get("a"))!.state).toBe("running");
  });
});
