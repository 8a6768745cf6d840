import { expect, test } from "vitest";
import type { BackoffFunction } from "../../src/worker/handlers.ts";
import { everyClient } from "../client/every-client.ts";
import { deferred, listening, workerOf } from "./support.ts";

/** Jobs whose handlers go wrong in ways that nobody expects: each is ended, and the others run on. */

const bad = (value: unknown) => (() => value) as BackoffFunction;

const BACKOFFS: [returns: string, backoff: BackoffFunction, says: RegExp][] = [
  ["NaN", bad(Number.NaN), /returned NaN/],
  ["a negative number", bad(-5), /returned -5/],
  ["Infinity", bad(Number.POSITIVE_INFINITY), /returned Infinity/],
  ["text that is no duration", bad("soon"), /returned "soon"/],
  ["null", bad(null), /returned null/],
  ["a symbol", bad(Symbol("x")), /returned Symbol\(x\)/],
  ["an object", bad({}), /returned an object/],
  ["a promise of NaN", bad(Promise.resolve(Number.NaN)), /returned NaN/],
  ["a promise that rejects", () => Promise.reject(new Error("mine")), /threw Error: mine/],
  [
    "nothing, because it throws",
    () => {
      throw new Error("mine");
    },
    /threw Error: mine/,
  ],
];

/** A value to throw, and the group of failures and message that it leads to. */
const THROWN: [name: string, value: () => unknown, group: string, message: RegExp][] = [
  ["a revoked proxy", () => revoked({}), "k:object", /cannot be read/],
  ["a revoked proxy of an error", () => revoked(new Error("x")), "k:object", /cannot be read/],
  ["an error with such a cause", () => new Error("x", { cause: revoked({}) }), "k:Error", /: x\n/],
  ["an error whose name throws", () => getter("name"), "k:Error", /Error: x/],
  ["an error whose message throws", () => getter("message"), "k:Error", /Error/],
  ["an error whose stack throws", () => getter("stack"), "k:Error", /Error: x/],
  ["an error whose cause throws", () => getter("cause"), "k:Error", /Error: x/],
  ["an error of which all throws", () => getter("name", "message", "stack"), "k:Error", /./],
  ["a name that is a symbol", () => own({ name: Symbol("n") }), "k:Error", /Error: x/],
  ["a name that is an object", () => own({ name: {} }), "k:Error", /: x/],
  ["a stack that is a number", () => own({ stack: 7 }), "k:Error", /Error: x/],
  ["an object without a prototype", () => Object.create(null), "k:object", /{}/],
  ["an object that throws as text", () => hostile(), "k:object", /cannot be read/],
  ["a proxy that changes its mind", () => fickle(), "k:Error", /cannot be read/],
  ["a symbol", () => Symbol("s"), "k:symbol", /Symbol\(s\)/],
];

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function getter(...names: string[]): Error {
  const error = new Error("x");
  const get = () => {
    throw new Error("the getter's own");
  };
  for (const name of names) Object.defineProperty(error, name, { get });
  return error;
}

/** An error at first sight, which throws when it is looked at again. */
function fickle(): unknown {
  let looks = 0;
  const getPrototypeOf = () => {
    looks += 1;
    if (looks > 1) throw new Error("no more");
    return Error.prototype;
  };
  return new Proxy({}, { getPrototypeOf });
}

const own = (members: object) => Object.assign(new Error("x"), members);

const hostile = () => ({
  toJSON: () => {
    throw new Error("no JSON");
  },
  toString: () => {
    throw new Error("no text");
  },
});

everyClient("a poisonous job", (open) => {
  test.each(BACKOFFS)(
    "whose backoff returns %s is retried by default",
    async (_, backoff, says) => {
      const client = await open();
      const { jid } = await client.queue("q").put("k", {});
      const { logger, told } = listening();
      const worker = workerOf(client, { logger });
      worker.handle("k", () => Promise.reject(new Error("x")), { backoff });
      await worker.drain({ timeout: "5s" });
      const job = (await client.get(jid))!;
      expect(job).toMatchObject({ state: "scheduled", remaining: 4 });
      expect(job.failure).toMatchObject({ group: "k:Error" });
      expect(job.failure!.message).toMatch(/Error: x/);
      expect(job.failure!.message).toMatch(says);
      expect(told.error).toEqual([expect.stringMatching(says)]);
    },
  );

  test("may have a backoff that is looked up first", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const worker = workerOf(client);
    worker.handle("k", () => Promise.reject(new Error("x")), {
      backoff: async (attempt) => `${attempt}h`,
    });
    await worker.drain({ timeout: "5s" });
    const { scheduled, failure } = (await client.get(jid))!;
    expect(scheduled!.getTime() - Date.now()).toBeGreaterThan(3_500_000);
    expect(failure!.message).not.toMatch(/backoff function/);
  });

  test("may have a backoff that leaves the decision to the queue", async () => {
    const client = await open();
    await client.config.setQueue("q", "backoff", "fixed 3600");
    const { jid } = await client.queue("q").put("k", {});
    const worker = workerOf(client);
    worker.handle("k", () => Promise.reject(new Error("x")), { backoff: () => undefined });
    await worker.drain({ timeout: "5s" });
    const { scheduled, failure } = (await client.get(jid))!;
    expect(scheduled!.getTime() - Date.now()).toBeGreaterThan(3_500_000);
    expect(failure!.message).not.toMatch(/backoff function/);
  });

  test("whose backoff is longer than 31 years rests for 31 years", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const worker = workerOf(client);
    worker.handle("k", () => Promise.reject(new Error("x")), { backoff: () => 1e300 });
    await worker.drain({ timeout: "5s" });
    expect((await client.get(jid))!.state).toBe("scheduled");
  });

  test.each(THROWN)("that throws %s fails as any other", async (_, value, group, message) => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {}, { retries: 0 });
    const neighbour = await client.queue("q").put("fine", {});
    const worker = workerOf(client).handleAll({
      k: () => {
        throw value();
      },
      fine: () => {},
    });
    await worker.drain({ timeout: "5s" });
    const job = (await client.get(jid))!;
    expect(job).toMatchObject({ state: "failed", failure: { group } });
    expect(job.failure!.message).toMatch(message);
    expect((await client.get(neighbour.jid))!.state).toBe("complete");
  });

  test("cannot take away the slots of its worker", async () => {
    const client = await open();
    const jobs = Array.from({ length: 10 }, () => ({ klass: "k", data: {}, retries: 0 }));
    await client.queue("q").putMany(jobs);
    const worker = workerOf(client, { concurrency: 2 });
    worker.handle("k", () => Promise.reject(revoked({})), { backoff: bad(Number.NaN) });
    await worker.drain({ timeout: "5s" });
    expect((await client.failures.groups()).get("k:object")).toBe(10);
  });

  test.each([
    ["returns", (job: object) => void Object.assign(job, CHANGED), "complete"],
    [
      "throws",
      (job: object) => {
        Object.assign(job, CHANGED);
        throw new Error("x");
      },
      "failed",
    ],
  ])("that changes its own job and %s is ended", async (_, handler, state) => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {}, { retries: 0 });
    const worker = workerOf(client).handle("k", handler as never, { whenSpent: "keep" });
    await worker.drain({ timeout: "5s" });
    expect((await client.get(jid))!.state).toBe(state);
    expect((await client.failures.groups()).size).toBe(state === "failed" ? 1 : 0);
    if (state === "failed") expect((await client.failures.groups()).has("k:Error")).toBe(true);
  });

  test("that changes its own job is canceled as any other", async () => {
    const client = await open();
    const { jid } = await client.queue("q").put("k", {});
    const code = deferred<string>();
    const worker = workerOf(client).handle("k", async (job, { signal }) => {
      Object.assign(job, CHANGED);
      signal.addEventListener("abort", () => code.resolve(signal.reason.code));
      await client.cancel([jid]);
      await code.promise;
    });
    await worker.start();
    expect(await code.promise).toBe("CANCELED");
    await worker.stop();
  });
});

const CHANGED = {
  jid: "x",
  lease: 9,
  klass: Symbol("k"),
  queue: "y",
  worker: "z",
  retries: "many",
};
