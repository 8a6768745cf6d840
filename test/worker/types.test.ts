import type { StandardSchemaV1 } from "@standard-schema/spec";
import { expectTypeOf, test } from "vitest";
import type { Client } from "../../src/index.ts";
import { defineJobs, payload, Worker } from "../../src/index.ts";

/** What must compile, and what must not: the compiler runs these, nobody else. */

const schema = {} as StandardSchemaV1<{ n: number | string }, { n: number }>;
const jobs = defineJobs({ "email.send": payload<{ to: string }>(), count: schema });
const client = {} as Client<typeof jobs>;
const plain = {} as Client;

test("a handler has the data of its klass", () => {
  const handled = () =>
    new Worker(client, { queues: "q" })
      .handle("email.send", (job) => {
        expectTypeOf(job.data).toEqualTypeOf<{ to: string }>();
        expectTypeOf(job.klass).toEqualTypeOf<"email.send">();
      })
      .handleAll({ count: (job) => expectTypeOf(job.data).toEqualTypeOf<{ n: number }>() })
      // @ts-expect-error: a klass that there is not.
      .handle("email.sned", () => {})
      // @ts-expect-error: an option that there is not.
      .handle("count", () => {}, { retrys: 3 })
      // @ts-expect-error: a word that there is not.
      .handle("count", () => {}, { whenSpent: "forget" });
  const unknown = () =>
    new Worker(plain, { queues: "q" }).handle("any", (job) => {
      expectTypeOf(job.data).toEqualTypeOf<unknown>();
    });
  expectTypeOf([handled, unknown]).toBeArray();
});

test("the context grows along the chain", () => {
  const chained = () =>
    new Worker(client, { queues: "q", context: () => ({ db: 1 }) })
      .use<{ user: string }>(async (context, next) => {
        expectTypeOf(context.db).toEqualTypeOf<number>();
        // @ts-expect-error: not there yet.
        void context.user;
        // @ts-expect-error: it is to give a user.
        await next({ usr: "ada" });
        await next({ user: "ada" });
      })
      .handle("count", (job, context) => {
        expectTypeOf(context.user).toEqualTypeOf<string>();
        expectTypeOf(context.db).toEqualTypeOf<number>();
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        // @ts-expect-error: nobody gave it.
        void context.mailer;
        // @ts-expect-error: an option that there is not.
        context.complete({ nxt: "r" });
        context.complete({ next: "r", delay: "5s", data: job.data });
      });
  expectTypeOf(chained).toBeFunction();
});

test("what a worker cannot be given does not compile", () => {
  const made = () => [
    // @ts-expect-error: no queues.
    new Worker(client, {}),
    // @ts-expect-error: an order that there is not.
    new Worker(client, { queues: "q", order: "random" }),
    // @ts-expect-error: an option that there is not.
    new Worker(client, { queues: "q", concurency: 5 }),
  ];
  expectTypeOf(made).toBeFunction();
});
