export type { CallLimits } from "./client/calls.ts";
export { Client, type Ended } from "./client/client.ts";
export type { ClientOptions } from "./client/client-options.ts";
export type { Config, QueueSettings, Settings } from "./client/config.ts";
export type {
  LogEvent,
  LogEvents,
  MissedEvent,
  Note,
  QlessEvent,
  TrackedEvent,
  TrackedName,
  WorkerEvent,
} from "./client/event-types.ts";
export type { EventFilter, Events, Heard } from "./client/events.ts";
export type { Explanation, Reason } from "./client/explain.ts";
export type { FailureGroup, Failures } from "./client/failures.ts";
export type { Failure, HistoryEntry, Job } from "./client/job.ts";
export type { State } from "./client/job-json.ts";
export type { CheckOptions, Finding, Maintenance } from "./client/maintenance.ts";
export type { Answer } from "./client/moving.ts";
export type { CallMessage, Logger } from "./client/observing.ts";
export type { PutOutcome, PutResult } from "./client/put-batch.ts";
export type { Backoff, PutOptions, Unique } from "./client/put-options.ts";
export type { ListedState, PopOptions, Queue } from "./client/queue.ts";
export type {
  Page,
  PauseOptions,
  QueueCounts,
  QueueStatistics,
  Times,
} from "./client/queue-types.ts";
export type { Recurring, RecurringJobs, RecurringOptions } from "./client/recurring.ts";
export {
  type AnyJobs,
  type Definition,
  defineJobs,
  type Input,
  type Klass,
  type Output,
  type Payload,
  payload,
  type Registry,
} from "./client/registry.ts";
export type { AnyJob, AnyRunningJob, ManyJobs } from "./client/registry-jobs.ts";
export type { Completion, RetryOptions, RunningJob } from "./client/running-job.ts";
export type { Schedule } from "./client/schedule.ts";
export type { ScheduleOptions, Schedules } from "./client/schedules.ts";
export type { BulkOptions, BulkReport, Criteria, Found, Search } from "./client/search.ts";
export type { Duration, Moment } from "./client/times.ts";
export { JobFailed, type WaitOptions } from "./client/waiting.ts";
export type { PresentWorker, WorkerCounts, WorkerFacts, Workers } from "./client/workers.ts";
export type { Beat, Finished, Outcome } from "./client/working.ts";
export {
  type ConnectOptions,
  connect,
  type EngineOptions,
  openEngine,
  type Source,
} from "./connect.ts";
export type { Announcement, CallOptions, CommandName, Engine, Issue, Reply } from "./engine.ts";
export {
  Invalid,
  JidTaken,
  LostLock,
  NoSuchJob,
  QlessError,
  Refused,
  Timeout,
  Unreachable,
} from "./engine.ts";
export type { TlsOptions } from "./redis/tls.ts";
export { type AbortCode, RunAborted } from "./worker/aborting.ts";
export type { ChildrenOptions, Model } from "./worker/children/options.ts";
export { defineConfig, type WorkConfig } from "./worker/config.ts";
export type { JobContext } from "./worker/context.ts";
export type {
  BackoffFunction,
  Handler,
  Handlers,
  KlassOptions,
  Middleware,
} from "./worker/handlers.ts";
export type { WorkerOptions } from "./worker/options.ts";
export type { Order } from "./worker/order.ts";
export type { DrainReport, StopReport, WorkerEvents } from "./worker/reports.ts";
export { Worker } from "./worker/worker.ts";
