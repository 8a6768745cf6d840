import { tracingChannel } from "node:diagnostics_channel";
import { createRequire } from "node:module";
import type * as OpenTelemetry from "@opentelemetry/api";
import type { Reply } from "../engine.ts";

/**
 * What others may see of the client's work: a logger of the user's own, spans of OpenTelemetry,
 * and Node's diagnostics channel. Whoever uses none of these pays next to nothing.
 */

/** The part of a pino logger that is used; any object of this shape will do. */
export interface Logger {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

/** What subscribers of the channel `tracing:qless.call:*` are given; `error` and `result` by Node. */
export interface CallMessage {
  command: string;
  namespace: string;
}

const channel = tracingChannel<string, CallMessage>("qless.call");

/** Whether anybody looks at calls. */
export function isWatched(logger: Logger | undefined): boolean {
  return logger !== undefined || hasSubscribers();
}

/** Makes a call to the engine, and shows it to whoever looks. */
export function observedCall(
  message: CallMessage,
  logger: Logger | undefined,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const call = hasSubscribers() ? () => channel.tracePromise(work, message) : work;
  return logger === undefined ? call() : logged(message, logger, call);
}

// Node 20 does not know `hasSubscribers` of a tracing channel as a whole.
const hasSubscribers = () =>
  channel.start.hasSubscribers ||
  channel.asyncEnd.hasSubscribers ||
  channel.end.hasSubscribers ||
  channel.asyncStart.hasSubscribers ||
  channel.error.hasSubscribers;

async function logged(
  message: CallMessage,
  logger: Logger,
  call: () => Promise<Reply>,
): Promise<Reply> {
  const begun = performance.now();
  try {
    const reply = await call();
    logger.debug({ ...message, ms: performance.now() - begun }, "qless call");
    return reply;
  } catch (error) {
    const { code } = error as { code?: string };
    logger.debug({ ...message, ms: performance.now() - begun, code, err: error }, "qless call");
    throw error;
  }
}

/** Where OpenTelemetry keeps what a program has registered with it. */
const REGISTERED = Symbol.for("opentelemetry.js.api.1");
const load = createRequire(import.meta.url);
let telemetry: typeof OpenTelemetry | undefined;

/**
 * OpenTelemetry, once somebody has registered anything with it. Its sixty files take a third of the
 * time that it takes to import this package, and most programs trace nothing.
 */
function openTelemetry(): typeof OpenTelemetry | undefined {
  if (telemetry === undefined && REGISTERED in globalThis) telemetry = load("@opentelemetry/api");
  return telemetry;
}

const tracerOf = ({ trace }: typeof OpenTelemetry) => trace.getTracer("qless");

export interface Published {
  queue: string;
  klass: string;
}

/**
 * Puts a job inside a span of its own. The carrier is what has to travel with the job, so that the
 * span of its run can be linked to this one; undefined when nobody traces.
 */
export function observedPut<Result>(
  { queue, klass }: Published,
  put: (carrier: string | undefined) => Promise<Result>,
): Promise<Result> {
  const api = openTelemetry();
  if (api === undefined) return put(undefined);
  const { context, propagation, SpanKind, SpanStatusCode, trace } = api;
  const attributes = {
    "messaging.system": "qless",
    "messaging.operation.type": "send",
    "messaging.destination.name": queue,
    "qless.klass": klass,
  };
  const span = tracerOf(api).startSpan(`put ${queue}`, { kind: SpanKind.PRODUCER, attributes });
  const active = trace.setSpan(context.active(), span);
  const carrier: Record<string, string> = {};
  propagation.inject(active, carrier);
  const text = Object.keys(carrier).length === 0 ? undefined : JSON.stringify(carrier);
  return context.with(active, async () => {
    try {
      return await put(text);
    } catch (error) {
      span.recordException(error as Error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).message });
      throw error;
    } finally {
      span.end();
    }
  });
}

export interface Run {
  jid: string;
  queue: string;
  klass: string;
  worker: string;
  /** What travelled with the job, as propagators wrote it when it was put. */
  context: Readonly<Record<string, string>>;
}

/** Whether anybody has brought a tracer: without one, all spans are made for nobody. */
function isTraced({ trace, ProxyTracerProvider }: typeof OpenTelemetry): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer("qless") != null;
}

/** Runs a job inside a span of its own, which is linked to the span that put it. */
export function observedRun<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
  const api = openTelemetry();
  if (api === undefined || !isTraced(api)) return work();
  const span = spanOf(api, run);
  if (span === undefined) return work();
  const { context, trace } = api;
  return context.with(trace.setSpan(context.active(), span), async () => {
    try {
      return await work();
    } finally {
      ended(span);
    }
  });
}

/** A tracer that fails must not change what becomes of a job. */
function ended(span: OpenTelemetry.Span): void {
  try {
    span.end();
  } catch {
    // The span is lost, and the job is not.
  }
}

/** The span of a run; undefined if the tracer fails. */
function spanOf(api: typeof OpenTelemetry, run: Run): OpenTelemetry.Span | undefined {
  try {
    return startedSpan(api, run);
  } catch {
    return undefined;
  }
}

function startedSpan(api: typeof OpenTelemetry, run: Run): OpenTelemetry.Span {
  const { propagation, ROOT_CONTEXT, SpanKind, trace } = api;
  const { jid, queue, klass, worker } = run;
  const attributes = {
    "messaging.system": "qless",
    "messaging.operation.type": "process",
    "messaging.destination.name": queue,
    "messaging.message.id": jid,
    "messaging.client.id": worker,
    "qless.klass": klass,
  };
  const cause = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, run.context));
  const links = cause === undefined ? [] : [{ context: cause }];
  const kind = SpanKind.CONSUMER;
  return tracerOf(api).startSpan(`process ${queue}`, { kind, attributes, links });
}

/** The trace that is being worked in at this moment, as propagators write it. */
export function presentCarrier(): Record<string, string> {
  const carrier: Record<string, string> = {};
  const api = openTelemetry();
  api?.propagation.inject(api.context.active(), carrier);
  return carrier;
}

/** Does something in the trace that a carrier came from, as if it were done there. */
export function withinCarrier<Result>(
  carrier: Readonly<Record<string, string>>,
  work: () => Result,
): Result {
  const api = openTelemetry();
  if (api === undefined) return work();
  const { context, propagation } = api;
  return context.with(propagation.extract(context.active(), carrier), work);
}

/** Notes in the present span that a run ended badly. */
export function noteFailure(error: unknown): void {
  const api = openTelemetry();
  const span = api?.trace.getActiveSpan();
  if (api === undefined || span === undefined) return;
  try {
    const told = error instanceof Error ? error : new Error(String(error));
    span.recordException(told);
    span.setStatus({ code: api.SpanStatusCode.ERROR, message: told.message });
  } catch {
    // What was thrown cannot be read, or a tracer fails: neither may change what becomes of the job.
    span.setStatus({ code: api.SpanStatusCode.ERROR });
  }
}
