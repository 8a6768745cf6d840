import { expect, onTestFinished, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { connect } from "../../src/connect.ts";
import { everyClient } from "../client/every-client.ts";
import { freshNamespace, redisUrl } from "../engines.ts";
import { everySite, soon } from "./site.ts";
import { sleep, workerOf } from "./support.ts";

/** Durations that are longer than a timer of Node can take, 24.8 days. */

/** The warnings that Node gives from now on. */
function warnings(): string[] {
  const heard: string[] = [];
  const hear = ({ name }: Error) => void heard.push(name);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  return heard;
}

everyClient("durations of 30 days", (open) => {
  test("as the cutoff of a klass let its jobs run", async () => {
    const client = await open();
    const run = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      await sleep(50);
      signal.throwIfAborted();
    };
    const worker = workerOf(client).handle("k", run, { cutoff: "30d" });
    const { jid } = await client.queue("q").put("k", {}, { retries: 0 });
    const report = await worker.drain({ timeout: "30d" });
    expect(report.isEmpty).toBe(true);
    expect((await client.get(jid))?.state).toBe("complete");
  });

  test("as the timeout of waitFor and result go on waiting", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const job = (await client.get(jid))!;
    const waiting = [
      client.waitFor(jid, { timeout: "30d" }),
      job.result({ timeout: "30d" }),
    ] as const;
    await sleep(50);
    const [running] = await client.queue("q").pop();
    await running!.complete({ data: 7 });
    expect(await Promise.all(waiting)).toMatchObject([{ state: "complete" }, 7]);
  });

  test("as the timeout of a call wait for its answer", async () => {
    const { engine } = await open();
    const client = new Client({
      namespace: engine.namespace,
      call: (...words) => sleep(50).then(() => engine.call(...words)),
      subscribe: (...words) => engine.subscribe(...words),
      close: async () => {},
    });
    expect(await client.queues({}, { timeout: "30d" })).toEqual([]);
    await client.cancel(["none"], { timeout: "30d" });
    expect(await client.get("none", { timeout: "30d" })).toBeUndefined();
  });

  test("as the grace of a stop let jobs end", async () => {
    const client = await open();
    let signal: AbortSignal | undefined;
    const worker = workerOf(client, { grace: "30d" }).handle("k", async (_, context) => {
      signal = context.signal;
      await sleep(100);
    });
    await worker.start();
    const { jid } = await client.queue("q").put("k", {});
    await expect.poll(() => signal).toBeDefined();
    expect(await worker.stop()).toEqual({ left: [] });
    expect(signal!.aborted).toBe(false);
    expect((await client.get(jid))?.state).toBe("complete");
  });

  test("as the delay of the next job let its idle workers wait", async () => {
    const heard = warnings();
    const client = await open();
    await client.queue("q").put("k", {}, { delay: "40d" });
    const worker = workerOf(client).handle("k", () => {});
    await worker.start();
    await sleep(300);
    const { jid } = await client.queue("q").put("k", {});
    expect(await client.waitFor(jid, { timeout: "8s" })).toMatchObject({ state: "complete" });
    await sleep(100);
    expect(heard).toEqual([]);
  });
});

test("A timeout of 30 days for Redis lets calls and events through", async () => {
  const heard = warnings();
  const options = { namespace: freshNamespace(), timeout: "30d", onWarning: () => {} } as const;
  const client = await connect(redisUrl(), options);
  onTestFinished(() => client.close());
  const { jid } = await client.put("k", {});
  const waiting = client.waitFor(jid);
  await sleep(50);
  await client.cancel([jid]);
  expect(await waiting).toEqual({ state: "gone" });
  expect(heard).toEqual([]);
});

everySite("a worker whose children have a patience of 30 days", (open) => {
  test("lets a run that was aborted end by itself", async () => {
    const site = await open();
    const children = { count: 1, patience: "30d" };
    const worker = site.worker({ model: "processes", children });
    await worker.start();
    const data = { way: "persists", ms: 2000, note: site.note };
    await site.behave(data, { cutoff: "500ms", retries: 0 });
    // The second line is the reason of the abort.
    await expect.poll(() => site.notes().length, soon).toBeGreaterThan(1);
    await sleep(500);
    expect(site.notes()).not.toContain("SIGTERM");
  });
});
