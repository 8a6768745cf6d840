import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect as connectBuilt } from "../../dist/index.js";
import { Client } from "../../src/client/client.ts";
import { connect } from "../../src/connect.ts";
import { everyClient } from "../client/every-client.ts";
import { freshNamespace, redisUrl } from "../engines.ts";
import { startProxy } from "../redis/proxy.ts";
import { Site, soon } from "./site.ts";
import { aborted, deferred, sleep, workerOf } from "./support.ts";

/** What a worker does about runs whose locks end while it cannot renew them. */

const HEARTBEAT_MS = 2000;
/** Later than any lock's end here, and long before a call gives up after 10 s. */
const TOLD_MS = 3000;

/** A way to Redis that goes silent without closing connections when `darken` is called. */
async function darkWire() {
  const { port, pathname } = new URL(redisUrl());
  const wire = await startProxy(Number(port));
  const darken = () => {
    wire.rule = () => new Promise(() => {});
    wire.freeze();
  };
  const lighten = () => {
    wire.rule = () => "pass";
    wire.cutAll();
  };
  return { url: wire.url + pathname, darken, lighten };
}

test("A worker aborts a run when its lock ends, while a call is still waiting for its answer", async () => {
  const { url, darken, lighten } = await darkWire();
  const client = await connect(url, { namespace: freshNamespace(), onWarning: () => {} });
  onTestFinished(() => client.close());
  await client.config.set("heartbeat", HEARTBEAT_MS);
  await client.config.set("grace-period", "1s");
  const told = deferred<{ code: string; late: number }>();
  const worker = workerOf(client).handle("k", async (job, { signal }) => {
    const ends = performance.now() + (job.expires.getTime() - Date.now());
    darken();
    const { code } = await aborted(signal);
    told.resolve({ code, late: performance.now() - ends });
  });
  await worker.start();
  await client.queue("q").put("k", {});
  const { code, late } = await told.promise;
  lighten();
  expect(code).toBe("LOCK_LOST");
  // The clocks of this process and of Redis agree to a few milliseconds.
  expect(late).toBeGreaterThan(-100);
  expect(late).toBeLessThan(TOLD_MS);
}, 30_000);

test("A worker aborts a run that was taken while another renewal was waiting", async () => {
  const { url, darken, lighten } = await darkWire();
  const client = await connect(url, { namespace: freshNamespace(), onWarning: () => {} });
  onTestFinished(() => client.close());
  await client.config.set("heartbeat", HEARTBEAT_MS);
  const codes: string[] = [];
  const worker = workerOf(client).handle("k", async (job, { signal }) => {
    if (job.jid === "b") darken();
    const { code } = await aborted(signal);
    codes.push(`${job.jid} ${code}`);
  });
  await worker.start();
  await client.queue("q").put("k", {}, { jid: "a" });
  await sleep(HEARTBEAT_MS / 2 - 200);
  await client.queue("q").put("k", {}, { jid: "b" });
  const until = { timeout: TOLD_MS + HEARTBEAT_MS };
  await expect.poll(() => codes.toSorted(), until).toEqual(["a LOCK_LOST", "b LOCK_LOST"]);
  lighten();
}, 30_000);

everyClient("a worker", (open) => {
  /** The client, with a hand on its renewals: what it does before and after the call. */
  function renewing(
    { engine }: Client,
    around: (call: () => Promise<unknown>) => Promise<unknown>,
  ) {
    return new Client({
      namespace: engine.namespace,
      call: (command, ...rest) => {
        const call = () => engine.call(command, ...rest);
        return command === "heartbeat.many" ? (around(call) as ReturnType<typeof call>) : call();
      },
      subscribe: (...words) => engine.subscribe(...words),
      close: async () => {},
    });
  }

  test("aborts nothing if the answer arrives shortly before the lock ends", async () => {
    const client = renewing(await open(), async (call) => {
      const answer = await call();
      await sleep(600);
      return answer;
    });
    await client.config.set("heartbeat", "3s");
    await client.config.set("grace-period", "1m");
    const codes: string[] = [];
    const worker = workerOf(client).handle("k", async (_, { signal }) => {
      void aborted(signal).then(({ code }) => codes.push(code));
      await sleep(4000);
    });
    await worker.start();
    const { jid } = await client.queue("q").put("k", {});
    expect(await client.waitFor(jid, { timeout: "15s" })).toMatchObject({ state: "complete" });
    expect(codes).toEqual([]);
  }, 20_000);

  test.each([
    ["after it has asked to renew the lock", true],
    ["before it could ask", false],
  ])(
    "whose process stands still %s keeps the lock",
    async (_, asksFirst) => {
      let isBlocked = false;
      const block = () => {
        if (isBlocked) return;
        isBlocked = true;
        const until = performance.now() + 2500;
        while (performance.now() < until);
      };
      const client = renewing(await open(), (call) => {
        const answer = call();
        if (asksFirst) block();
        return answer;
      });
      await client.config.set("heartbeat", HEARTBEAT_MS);
      await client.config.set("grace-period", "1m");
      const codes: string[] = [];
      const worker = workerOf(client).handle("k", async (_, { signal }) => {
        void aborted(signal).then(({ code }) => codes.push(code));
        if (!asksFirst) block();
        await sleep(1500);
      });
      await worker.start();
      const { jid } = await client.queue("q").put("k", {});
      expect(await client.waitFor(jid, { timeout: "15s" })).toMatchObject({ state: "complete" });
      expect(isBlocked).toBe(true);
      expect(codes).toEqual([]);
    },
    20_000,
  );
});

test.each(["processes", "threads"] as const)(
  "Children in %s hear that a lock has ended, while a call is still waiting for its answer",
  async (model) => {
    const folder = mkdtempSync(join(tmpdir(), "qless-lock-end-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { url, darken, lighten } = await darkWire();
    const client = await connectBuilt(url, { namespace: freshNamespace(), onWarning: () => {} });
    onTestFinished(() => client.close());
    await client.config.set("heartbeat", HEARTBEAT_MS);
    const site = new Site(client, url, folder);
    await site.worker({ model, children: { count: 1 } }).start();
    await site.behave({ way: "persists", ms: 20_000, note: site.note });
    await expect.poll(() => site.notes()[0], soon).toMatch(/^begun/);
    darken();
    await expect.poll(() => site.notes(), { timeout: 7000 }).toContain("LOCK_LOST");
    lighten();
  },
  40_000,
);
