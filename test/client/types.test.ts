import type { StandardSchemaV1 } from "@standard-schema/spec";
import { expectTypeOf, test } from "vitest";
import type { AnyJob, AnyRunningJob, Client, Input, Output } from "../../src/index.ts";
import { type connect, defineJobs, payload } from "../../src/index.ts";

/** What must compile, and what must not: the compiler runs these, nobody else. */

const schema = {} as StandardSchemaV1<{ n: number | string }, { n: number }>;
const jobs = defineJobs({ "email.send": payload<{ to: string }>(), count: schema });
type Jobs = typeof jobs;
const client = {} as Client<Jobs>;
const plain = {} as Client;
const open = (() => {}) as unknown as typeof connect;

test("the data of each klass is what the registry says", () => {
  expectTypeOf<Input<Jobs, "email.send">>().toEqualTypeOf<{ to: string }>();
  expectTypeOf<Output<Jobs, "email.send">>().toEqualTypeOf<{ to: string }>();
  expectTypeOf<Input<Jobs, "count">>().toEqualTypeOf<{ n: number | string }>();
  expectTypeOf<Output<Jobs, "count">>().toEqualTypeOf<{ n: number }>();
});

test("the klass of a job narrows its data", () => {
  const narrow = (job: AnyJob<Jobs> | AnyRunningJob<Jobs>) => {
    if (job.klass === "count") expectTypeOf(job.data).toEqualTypeOf<{ n: number }>();
    else expectTypeOf(job.data).toEqualTypeOf<{ to: string }>();
  };
  expectTypeOf(narrow).toBeFunction();
});

test("what cannot be put does not compile", () => {
  const puts = () => [
    client.put("email.send", { to: "ada" }),
    client.put("count", { n: "5" }),
    client.queue("q").putMany([
      { klass: "count", data: { n: 1 } },
      { klass: "email.send", data: { to: "ada" }, delay: "5s" },
    ]),
    // @ts-expect-error: another klass.
    client.put("email.sned", { to: "ada" }),
    // @ts-expect-error: the data of another klass.
    client.put("email.send", { n: 1 }),
    // @ts-expect-error: a member too few.
    client.queue("q").put("email.send", {}),
    // @ts-expect-error: no data.
    client.put("email.send"),
    // @ts-expect-error: the data of another klass in a batch.
    client.putMany([{ klass: "count", data: { to: "ada" } }]),
    // @ts-expect-error: an option that does not exist.
    client.put("count", { n: 1 }, { prio: 1 }),
    // @ts-expect-error: a word that does not exist.
    client.put("count", { n: 1 }, { unique: { until: "later" } }),
    // @ts-expect-error: the data of another klass, again and again.
    client.recurring.set("r", "count", { to: "ada" }, { interval: "1h" }),
  ];
  expectTypeOf(puts).toBeFunction();
});

test("without a registry any klass goes, and data is unknown", () => {
  const uses = async () => {
    await plain.put("anything", { a: 1 });
    const job = await plain.get("jid");
    expectTypeOf(job!.data).toEqualTypeOf<unknown>();
    const [running] = await plain.queue("q").pop();
    expectTypeOf(running!.data).toEqualTypeOf<unknown>();
  };
  expectTypeOf(uses).toBeFunction();
});

test("a registry is known by its type alone", () => {
  expectTypeOf(open<Jobs>).returns.resolves.toEqualTypeOf<Client<Jobs>>();
});

test("events are known by their names", () => {
  const listen = () =>
    client.events.on({ event: ["failed", "completed"] }, (event) => {
      if (event.event === "failed") expectTypeOf(event.group).toEqualTypeOf<string>();
      // @ts-expect-error: not asked for.
      if (event.event === "canceled") return;
    });
  expectTypeOf(listen).toBeFunction();
});

test("settings take what they are made of", () => {
  const sets = () => [
    client.config.set("heartbeat", "90s"),
    client.config.setQueue("q", "backoff", { kind: "fixed", base: 1000 }),
    // @ts-expect-error: one of two words.
    client.config.set("priority-order", "up"),
    // @ts-expect-error: there is no such setting.
    client.config.set("hartbeat", 1),
  ];
  expectTypeOf(sets).toBeFunction();
});
