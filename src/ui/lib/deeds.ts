import { part, type Request } from "./api.ts";
import type { Criteria } from "./shapes.ts";

/** Every request that changes something, apart from its sending, so that it can be shown before. */

const V1 = "/api/v1";
const post = (path: string, body: unknown = {}): Request => ({
  method: "POST",
  path: V1 + path,
  body,
});
const put = (path: string, body: unknown): Request => ({ method: "PUT", path: V1 + path, body });
const drop = (path: string): Request => ({ method: "DELETE", path: V1 + path });

export const cancelJob = (jid: string) => drop(`/jobs/${part(jid)}`);
export const cancelJobs = (jids: readonly string[]) => post("/jobs/cancel", { jids });
export const retryJob = (jid: string) => post(`/jobs/${part(jid)}/retry`);
export const timeOutJob = (jid: string) => post(`/jobs/${part(jid)}/timeout`);
export const moveJob = (jid: string, queue: string) => post(`/jobs/${part(jid)}/move`, { queue });
export const moveJobs = (jids: readonly string[], queue: string) =>
  post("/jobs/move", { queue, jids });
export const setPriority = (jid: string, priority: number) =>
  put(`/jobs/${part(jid)}/priority`, { priority });
export const tagJob = (jid: string, add: readonly string[], remove: readonly string[] = []) =>
  post(`/jobs/${part(jid)}/tags`, { add, remove });
export const trackJob = (jid: string, tracked: boolean) =>
  put(`/jobs/${part(jid)}/tracked`, { tracked });
export const undepend = (jid: string) => post(`/jobs/${part(jid)}/depends`, { none: true });

export interface NewJob {
  klass: string;
  queue: string;
  data: unknown;
  priority?: number;
  tags?: readonly string[];
  retries?: number;
  delay?: string;
}

export const putJob = (job: NewJob) => post("/jobs", job);

export interface Pause {
  reason?: string;
  for?: string;
}

export const pauseQueue = (queue: string, pause: Pause) =>
  post(`/queues/${part(queue)}/pause`, pause);
export const unpauseQueue = (queue: string) => post(`/queues/${part(queue)}/unpause`);
export const forgetQueue = (queue: string) => drop(`/queues/${part(queue)}`);

export const setConfig = (name: string, value: string | number, queue?: string) =>
  put(`${placeOf(queue)}/config/${part(name)}`, { value });
export const unsetConfig = (name: string, queue?: string) =>
  drop(`${placeOf(queue)}/config/${part(name)}`);
const placeOf = (queue: string | undefined) =>
  queue === undefined ? "" : `/queues/${part(queue)}`;

export type BulkAction = "retry" | "cancel" | "move" | "tag" | "untag" | "priority";

export interface Bulk {
  action: BulkAction;
  filter: Criteria;
  dry_run?: boolean;
  queue?: string;
  tags?: readonly string[];
  priority?: number;
}

export const bulk = (body: Bulk) => post("/bulk", body);
export const check = (repair: boolean) => post("/check", { repair });
export const stopOperation = (id: string) => drop(`/operations/${part(id)}`);

export const deregister = (worker: string) => drop(`/workers/${part(worker)}`);

export interface ScheduleDraft {
  klass: string;
  queue: string;
  data: unknown;
  cron: string;
  zone: string;
  overlap: string;
  missed: string;
  priority: number;
  tags: readonly string[];
  retries?: number;
  backlog?: number;
  jitter?: number;
  source?: string;
  backoff?: string;
}

export const setSchedule = (jid: string, draft: ScheduleDraft) =>
  put(`/schedules/${part(jid)}`, draft);
export const dropSchedule = (jid: string) => drop(`/schedules/${part(jid)}`);
export const pauseSchedule = (jid: string, paused: boolean) =>
  paused ? post(`/schedules/${part(jid)}/pause`) : post(`/schedules/${part(jid)}/unpause`);

export interface RecurringDraft {
  klass: string;
  queue: string;
  data: unknown;
  interval: number | string;
  offset?: number;
  priority?: number;
  retries?: number;
  tags?: readonly string[];
  backlog?: number;
}

export const setRecurring = (jid: string, draft: RecurringDraft) =>
  put(`/recurring/${part(jid)}`, draft);
export const dropRecurring = (jid: string) => drop(`/recurring/${part(jid)}`);
export const pauseRecurring = (jid: string, paused: boolean) =>
  paused ? post(`/recurring/${part(jid)}/pause`) : post(`/recurring/${part(jid)}/unpause`);
