import diagnostics from "node:diagnostics_channel";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { Worker } from "../../src/worker/worker.ts";
import { everyClient } from "./every-client.ts";

const exporter = new InMemorySpanExporter();
/** Where a tracer of the user's throws. */
let broken: "start" | "end" | undefined;
const breaking = {
  onStart: () => failAt("start"),
  onEnd: () => failAt("end"),
  forceFlush: async () => {},
  shutdown: async () => {},
};
const failAt = (at: "start" | "end") => {
  if (broken === at) throw new Error("the tracer's own");
};
beforeAll(() => {
  const spanProcessors = [new SimpleSpanProcessor(exporter), breaking];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator({
    inject(active, carrier, setter) {
      const span = trace.getSpanContext(active);
      if (span !== undefined)
        setter.set(carrier, "traceparent", `00-${span.traceId}-${span.spanId}-01`);
    },
    extract(active, carrier, getter) {
      const [, traceId, spanId] = String(getter.get(carrier, "traceparent")).split("-");
      if (traceId === undefined || spanId === undefined) return active;
      return trace.setSpanContext(active, { traceId, spanId, traceFlags: 1 });
    },
    fields: () => ["traceparent"],
  });
});
afterAll(() => {
  trace.disable();
  context.disable();
  propagation.disable();
});

everyClient("what others see", (open) => {
  test("is a span for each put, whose context travels with the job", async () => {
    const client = await open();
    exporter.reset();
    const { jid } = await client.queue("q").put("k", { a: 1 });
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ name: "put q", attributes: { "qless.klass": "k" } });
    const { traceId, spanId } = span!.spanContext();
    const [job] = await client.queue("q").pop();
    expect(job).toMatchObject({ jid, context: { traceparent: `00-${traceId}-${spanId}-01` } });
    await expect(client.put("k", 1, { jid: "b", depends: ["b"] })).rejects.toThrow();
    expect(exporter.getFinishedSpans().at(-1)!.status.message).toMatch(/depend on itself/);
  });

  test("is a span for each run, linked to the put, with what went wrong", async () => {
    const client = await open();
    exporter.reset();
    const { jid } = await client.queue("q").put("k", { a: 1 });
    await client.queue("q").put("bad", {});
    const worker = new Worker(client, { queues: "q" })
      .handle("k", () => trace.getActiveSpan()?.setAttribute("mine", true))
      .handle("bad", () => Promise.reject(new Error("no good")));
    await worker.drain({ timeout: "5s" });
    const spans = exporter.getFinishedSpans();
    const put = spans.find(({ name }) => name === "put q")!;
    const [good, bad] = spans.filter(({ name }) => name === "process q");
    expect(good!.attributes).toMatchObject({ "messaging.message.id": jid, mine: true });
    expect(good!.links.map((link) => link.context.spanId)).toEqual([put.spanContext().spanId]);
    expect(bad!.status.message).toBe("no good");
  });

  test.each(["start", "end"] as const)(
    "is no concern of a job if a tracer fails at the %s",
    async (at) => {
      const client = await open();
      const { jid } = await client.queue("q").put("k", {});
      broken = at;
      onTestFinished(() => {
        broken = undefined;
      });
      const worker = new Worker(client, { queues: "q" }).handle("k", () => {});
      await worker.drain({ timeout: "5s" });
      expect((await client.get(jid))!.state).toBe("complete");
    },
  );

  test("is each call on Node's diagnostics channel", async () => {
    const client = await open();
    const seen: string[] = [];
    const channel = diagnostics.tracingChannel("qless.call");
    const subscribers = {
      start: (message: object) =>
        void seen.push(`start ${(message as { command: string }).command}`),
      asyncEnd: (message: object) =>
        void seen.push(`end ${(message as { command: string }).command}`),
      end() {},
      asyncStart() {},
      error() {},
    };
    channel.subscribe(subscribers);
    await client.put("k", 1);
    channel.unsubscribe(subscribers);
    await client.queues();
    expect(seen).toEqual(["start put", "end put"]);
  });
});
