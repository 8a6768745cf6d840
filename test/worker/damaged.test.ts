import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { Client } from "../../src/client/client.ts";
import { openWithHands } from "../hands.ts";
import { deferred, listening, workerOf } from "./support.ts";

/** Fields of a job's record that somebody has written nonsense into, as `redis-cli HSET` can. */
const FIELDS: [field: string, value: string][] = [
  ["tags", "x"],
  ["tags", '"text"'],
  ["tags", "[1]"],
  ["tags", '["a"'],
  ["context", "x"],
  ["context", "[]"],
  ["priority", "x"],
  ["priority", ""],
  ["retries", "x"],
  ["remaining", "x"],
  ["remaining", '"5"'],
];

const NEIGHBOURS = ["a", "b", "c", "d"];

describe.each(["sqlite", "functions"] as const)("a job whose record is damaged (%s)", (home) => {
  const opened: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });

  async function open() {
    const { bench, hands } = await openWithHands(home);
    const { logger, told } = listening();
    const client = new Client(bench.engine, { name: "me", logger });
    opened.push(
      () => client.close({ grace: 0 }),
      () => hands.close(),
    );
    const put = async (jid: string) => {
      const options = { jid, priority: jid === "bad" ? -5 : 0, retries: 1, tags: ["t"] };
      await client.queue("q").put("k", {}, options);
    };
    await put("bad");
    for (const jid of NEIGHBOURS) await put(jid);
    return { client, hands, told };
  }

  test.each(FIELDS)("in %s as %s fails at once, and those beside it run", async (field, value) => {
    const { client, hands, told } = await open();
    await hands.set("j:bad", "more", "1");
    await hands.set("j:bad", field, value);
    const ran: string[] = [];
    const worker = workerOf(client, { logger: client.parts.logger!, concurrency: 10 });
    worker.handle("k", (job) => void ran.push(job.jid));
    await worker.drain({ timeout: "5s" });
    expect(ran.toSorted()).toEqual(NEIGHBOURS);
    const { jids } = await client.failures.jobs("damaged");
    expect(jids).toEqual(["bad"]);
    const sentence = `Job bad is damaged: its ${field} cannot be read`;
    expect(told.error).toEqual([expect.stringContaining(sentence)]);
  });

  test.each(FIELDS)("in %s as %s keeps nobody from popping others", async (field, value) => {
    const { client, hands, told } = await open();
    await hands.set("j:bad", "more", "1");
    await hands.set("j:bad", field, value);
    const popped = await client.queue("q").pop({ count: 10 });
    expect(popped.map(({ jid }) => jid)).toEqual(NEIGHBOURS);
    expect((await client.failures.jobs("damaged")).jids).toEqual(["bad"]);
    expect(told.error).toEqual([expect.stringContaining("Job bad is damaged")]);
  });

  test.each(FIELDS)("in %s as %s is shown beside others", async (field, value) => {
    const { client, hands } = await open();
    await hands.set("j:bad", "more", "1");
    await hands.set("j:bad", field, value);
    const all = ["bad", ...NEIGHBOURS];
    expect((await client.getMany(all)).map(({ jid }) => jid)).toEqual(all);
    expect((await client.get("bad"))!.state).toBe("waiting");
    const jids = (jobs: { jid: string }[]) => jobs.map(({ jid }) => jid).toSorted();
    expect(jids(await client.queue("q").peek(10))).toEqual(all.toSorted());
    const { jobs } = await client.search({ queue: "q" }).page({ count: 10 });
    expect(jids(jobs)).toEqual(expect.arrayContaining(NEIGHBOURS));
  });

  test("is no burden to a worker that stops", async () => {
    const { client, hands } = await open();
    await hands.set("j:bad", "retries", "x");
    const worker = workerOf(client, { concurrency: 10 }).handle("other", () => {});
    await worker.start();
    await expect.poll(async () => (await client.failures.groups()).get("damaged")).toBe(1);
    expect(await worker.stop({ grace: "5s" })).toEqual({ left: [] });
    expect((await client.queue("q").counts()).running).toBe(0);
  });
});

test("A job with a lease that is no number fails, and holds up no other outcome", async () => {
  const { bench, hands } = await openWithHands("sqlite");
  const client = new Client(bench.engine, { name: "me" });
  onTestFinished(async () => {
    await client.close({ grace: 0 });
    await hands.close();
  });
  const gate = deferred();
  const ran: string[] = [];
  const worker = workerOf(client, { concurrency: 2 }).handle("k", async (job) => {
    if (job.jid === "first") await gate.promise;
    ran.push(job.jid);
  });
  await worker.start();
  await client.queue("q").put("k", {}, { jid: "first" });
  await expect.poll(async () => (await client.get("first"))!.state).toBe("running");
  await hands.set("", "lease", "x");
  await client.queue("q").put("k", {}, { jid: "bad" });
  await expect.poll(async () => (await client.failures.groups()).get("damaged")).toBe(1);
  gate.resolve();
  expect((await client.waitFor("first", { timeout: "5s" })).state).toBe("complete");
  expect(ran).toEqual(["first"]);
});
