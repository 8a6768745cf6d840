import { expect, test } from "vitest";
import { ROUTES } from "../../src/http/table.ts";
import { openClient } from "../client/every-client.ts";
import { prepare, SAMPLES } from "./samples.ts";
import { type Bench, everyServer, served, TOKENS, tokens } from "./support.ts";

const key = { "idempotency-key": "6f1c-once" };

/** All that a client can see of the jobs, without what a second request may add by being made. */
async function contentsOf({ client }: Bench): Promise<unknown> {
  const jids = new Set<string>();
  for await (const { jid } of client.search({})) jids.add(jid);
  const jobs = await client.getMany([...jids]);
  const shown = jobs.map((job) => ({ ...job.toJSON() }));
  return [shown, await client.queues(), await client.config.all(), await client.schedules.list()];
}

everyServer("a request with an Idempotency-Key", (open, place) => {
  // What an operation found is told by its server, and pauses for a time begin when they are asked for.
  const ONCE = ROUTES.filter(({ acts, path }) => acts && !/operations|tick/.test(path));

  test.each(ONCE)(
    "$method $path acts once, and answers the same again",
    async ({ method, path }) => {
      const bench = await open();
      const sample = SAMPLES[`${method} ${path}`]!(await prepare(bench.client));
      const once = await bench.ask(method, sample.path, sample.body, key);
      const contents = await contentsOf(bench);
      const again = await bench.ask(method, sample.path, sample.body, key);
      expect(again.status).toBe(
        once.status === 200 && isGone(again.status) ? again.status : once.status,
      );
      if (again.status === once.status)
        expect(withoutTimes(again.body)).toEqual(withoutTimes(once.body));
      expect(await contentsOf(bench)).toEqual(contents);
    },
  );

  test("acts once though another server gets it the second time", async () => {
    const bench = await open();
    const { engine } = bench.client;
    const client =
      place === "redis" ? await openClient(place, { namespace: engine.namespace }) : bench.client;
    const other = await served(client);
    const put = (at: Bench) => at.post("/api/v1/jobs", { klass: "k", data: 1 }, key);
    const first = await put(bench);
    expect(first.body.outcome).toBe("created");
    expect((await put(other)).body).toEqual(first.body);
    const pop = (at: Bench) => at.post("/api/v1/pop", { queues: ["k"], worker: "w" }, key);
    const popped = await pop(bench);
    expect(popped.body.jobs).toHaveLength(1);
    expect((await pop(other)).body).toEqual(popped.body);
    expect((await bench.client.queue("k").counts()).running).toBe(1);
    await other.served.stop();
    if (client !== bench.client) await client.close();
  });

  test("acts once though it is sent many times at once", async () => {
    const bench = await open();
    const puts = Array.from({ length: 20 }, () => bench.post("/api/v1/jobs", { klass: "k" }, key));
    const jids = (await Promise.all(puts)).map(({ body }) => body.jid);
    expect(new Set(jids).size).toBe(1);
    expect((await bench.client.queue("k").counts()).waiting).toBe(1);
  });

  test("changes what is found now, where nobody remembers the operation any more", async () => {
    const bench = await open();
    const tag = { action: "tag", tags: ["t"], filter: { queue: "k" }, wait: 10 };
    const put = (count: number) =>
      bench.client.putMany(Array.from({ length: count }, () => ({ klass: "k", data: 1 })));
    await put(3);
    expect((await bench.post("/api/v1/bulk", tag, key)).body).toMatchObject({ done: 3 });
    const other = await served(bench.client);
    expect((await other.post("/api/v1/bulk", tag, key)).body).toMatchObject({ done: 3 });
    for await (const { history } of bench.client.search({ queue: "k" })) {
      expect(history.filter(({ what }) => what === "operator")).toHaveLength(1);
    }
    await put(600);
    const last = await served(bench.client);
    expect((await last.post("/api/v1/bulk", tag, key)).body).toMatchObject({ done: 603 });
    expect(await bench.client.search({ tag: "t" }).count()).toBe(603);
    await Promise.all([other.served.stop(), last.served.stop()]);
  });

  test("is another one with another body, path, or caller", async () => {
    const bench = await open({ tokens: tokens() });
    const by = (role: "admin" | "put") => ({ ...key, authorization: `Bearer ${TOKENS[role]}` });
    await bench.post("/api/v1/jobs", { klass: "k", data: 1 }, by("admin"));
    await bench.post("/api/v1/jobs", { klass: "k", data: 2 }, by("admin"));
    await bench.post("/add/k", { data: [{ meta: 1 }] }, by("admin"));
    await bench.post("/api/v1/jobs", { klass: "k", data: 1 }, by("put"));
    expect((await bench.client.queue("k").counts()).waiting).toBe(4);
  });

  test("is tried again after it was refused", async () => {
    const bench = await open();
    const retry = () => bench.post("/api/v1/jobs/a/retry", {}, key);
    expect((await retry()).status).toBe(404);
    await bench.client.put("k", 1, { jid: "a", delay: "1h" });
    expect((await retry()).status).toBe(200);
    expect((await bench.client.get("a"))!.state).toBe("waiting");
  });

  test("is refused where the key is none", async () => {
    const bench = await open();
    for (const wrong of ["", " ", "é", "x".repeat(256), "a b"]) {
      const headers = { "idempotency-key": wrong };
      const answer = await bench.post("/api/v1/jobs", { klass: "k" }, headers);
      expect(answer.status, wrong).toBe(400);
      expect(answer.body.error.message).toContain("Idempotency-Key must be");
    }
  });
});

/** Whoever cancels what is gone is told so: then nothing is done, and that is not remembered. */
const isGone = (status: number) => status === 404;

function withoutTimes(body: { time?: unknown }): unknown {
  const { time: _, ...rest } = body;
  return rest;
}
