import { expect, test } from "vitest";
import { everyPython } from "./support.ts";

const soon = { timeout: 10_000, interval: 20 };

everyPython("the Python worker", (open, way) => {
  const poll = way === "redis" ? {} : { poll: 0.3 };

  test("makes of a job what its handler says", async () => {
    const { client, python } = await open();
    const klasses = ["returns", "nothing", "goes-on", "gives-up", "senseless", "no-json", "exits"];
    const jobs = klasses.map((klass) => ({ klass, data: { n: 1 }, jid: klass, retries: 0 }));
    await client.queue("q").putMany(jobs);
    await python.call("work", [], { drain: true, concurrency: 2 });
    const ended = await client.getMany(klasses);
    expect(ended.map(({ state, data, failure }) => [state, data, failure?.group])).toEqual([
      ["complete", { n: 2 }, undefined],
      ["complete", { n: 1 }, undefined],
      ["waiting", { n: 2 }, undefined],
      ["failed", { n: 1 }, "no-account"],
      ["failed", { n: 1 }, "senseless:Refused"],
      ["failed", { n: 1 }, "no-json:TypeError"],
      ["failed", { n: 1 }, "exits:SystemExit"],
    ]);
    expect((await client.workers.get("py")).jobs).toEqual([]);
  });

  test("tries again what has failed, after a rest, and keeps the end of a long traceback", async () => {
    const { client, python } = await open();
    await client.queue("q").put("fails", { times: 10_000 }, { jid: "a" });
    await client.queue("q").put("fails", {}, { jid: "b", retries: 0, backoff: "fixed 0" });
    await python.call("work", [], { drain: true });
    const job = (await client.get("a"))!;
    expect(job).toMatchObject({ state: "scheduled", remaining: 4 });
    const rest = job.scheduled!.getTime() - job.history.at(-1)!.when.getTime();
    expect(rest).toBeGreaterThanOrEqual(800);
    expect(rest).toBeLessThanOrEqual(1200);
    expect(job.failure!.message).toHaveLength(16_384);
    expect(job.failure!.message).toMatch(/thing'?"?\n$/);
    const spent = (await client.get("b"))!;
    expect(spent).toMatchObject({ state: "failed", failure: { group: "fails:LookupError" } });
    expect(spent.failure!.message).toMatch(/^Traceback .*LookupError: no such thing\n$/s);
  });

  test("gives back jobs of a klass that it does not know, at no cost", async () => {
    const { client, python } = await open();
    await client.queue("q").put("other", 1, { jid: "a" });
    await python.call("work", [], { drain: true });
    expect(await client.get("a")).toMatchObject({ state: "scheduled", remaining: 5 });
    await client.cancel(["a"]);
  });

  test("is woken when there is a job, and when one is due", async () => {
    const { client, python } = await open();
    await python.call("work");
    const first = await client.queue("q").put("nothing", 1);
    await client.waitFor(first.jid, { timeout: "10s" });
    const begun = performance.now();
    const { jid } = await client.queue("q").put("nothing", 1);
    const later = await client.queue("q").put("nothing", 1, { delay: 200 });
    await client.waitFor(jid, { timeout: "10s" });
    await client.waitFor(later.jid, { timeout: "10s" });
    // It looks by itself only after some five seconds.
    expect(performance.now() - begun).toBeLessThan(4000);
    await python.call("stop", [], { grace: 0 });
  });

  test.skipIf(way !== "redis")(
    "gives back what a delayed request took, at no cost",
    async () => {
      const { client, python } = await open({ timeout: 2 });
      await client.queue("other").put("k", 1, { jid: "old", retries: 0 });
      await client.engine.call("pop", ["other", "py", 1]);
      await python.call("work");
      const { jid } = await client.queue("q").put("nothing", 1);
      await client.waitFor(jid, { timeout: "10s" });
      await client.queue("other").put("k", 1, { jid: "a", retries: 0 });
      await client.engine.call("pop", ["other", "py", 1]);
      const given = { state: "waiting", remaining: 0 };
      await expect.poll(() => client.get("a"), { timeout: 20_000 }).toMatchObject(given);
      const { history } = (await client.get("a"))!;
      expect(history.map(({ what }) => what)).not.toContain("timed-out");
      // An earlier process of that name had this one.
      expect(await client.get("old")).toMatchObject({ state: "running", worker: "py" });
    },
    40_000,
  );

  test.skipIf(way !== "redis")(
    "takes nothing with a request whose deadline has passed",
    async () => {
      const { client, python } = await open();
      await client.queue("q").put("nothing", 1, { jid: "a" });
      expect(await python.call("pop", ["q"], { deadline: 1_700_000_000 })).toEqual([]);
      expect(await python.call("pop", ["q"], { deadline: 4_000_000_000 })).toHaveLength(1);
    },
  );

  test("renews locks while handlers run, and tells them of a lock that is lost", async () => {
    const { client, python } = await open();
    await client.config.setQueue("q", "heartbeat", "1s");
    await client.config.set("grace-period", 0);
    await client.queue("q").put("lingers", { seconds: 2 }, { jid: "kept", retries: 0 });
    await client.queue("q").put("lingers", {}, { jid: "lost" });
    await client.queue("q").put("lingers", {}, { jid: "canceled" });
    await python.call("work", [], poll);
    await expect.poll(async () => (await client.get("canceled"))!.state, soon).toBe("running");
    await client.cancel(["canceled"]);
    await (await client.get("lost"))!.timeout();
    // The worker has it again as soon as it knows; its first run ends with what it has seen.
    const again = async () =>
      (await client.get("lost"))!.history.filter((one) => one.what === "popped");
    await expect.poll(async () => (await again()).length, soon).toBe(2);
    await client.cancel(["lost"]);
    expect((await client.waitFor("kept", { timeout: "10s" })).job).toMatchObject({
      data: { lost: false },
      history: [{ what: "put" }, { what: "popped" }, { what: "done" }],
    });
    await python.call("stop");
  });

  test("gives back what runs too long when it is stopped, at no cost", async () => {
    const { client, python } = await open();
    await client.queue("q").put("lingers", {}, { jid: "a", retries: 0 });
    await client.queue("q").put("lingers", { seconds: 0.2 }, { jid: "b" });
    await python.call("work", [], poll);
    await expect.poll(() => python.call("begun"), soon).toEqual(["a", "b"]);
    const begun = performance.now();
    await python.call("stop", [], { grace: 1.5 });
    expect(performance.now() - begun).toBeLessThan(8000);
    const [one, two] = await client.getMany(["a", "b"]);
    expect([one!.state, one!.remaining]).toEqual(["waiting", 0]);
    expect([two!.state, two!.data]).toEqual(["complete", { lost: false }]);
    expect((await client.workers.get("py")).jobs).toEqual([]);
  });
});
