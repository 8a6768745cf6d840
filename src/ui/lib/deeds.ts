import type { RawJson } from "../../json/raw-json.ts";
import { pathTo, type Request } from "./api.ts";
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

export const cancelJob = (jid: string) => drop(pathTo("/jobs/:jid", { jid }));
export const cancelJobs = (jids: readonly string[]) => post("/jobs/cancel", { jids });
export const retryJob = (jid: string) => post(pathTo("/jobs/:jid/retry", { jid }));
export const timeOutJob = (jid: string) => post(pathTo("/jobs/:jid/timeout", { jid }));
export const moveJob = (jid: string, queue: string) =>
  post(pathTo("/jobs/:jid/move", { jid }), { queue });
export const moveJobs = (jids: readonly string[], queue: string) =>
  post("/jobs/move", { queue, jids });
export const setPriority = (jid: string, priority: number) =>
  put(pathTo("/jobs/:jid/priority", { jid }), { priority });
export const tagJob = (jid: string, add: readonly string[], remove: readonly string[] = []) =>
  post(pathTo("/jobs/:jid/tags", { jid }), { add, remove });
export const trackJob = (jid: string, tracked: boolean) =>
  put(pathTo("/jobs/:jid/tracked", { jid }), { tracked });
export const undepend = (jid: string) =>
  post(pathTo("/jobs/:jid/depends", { jid }), { none: true });

export interface NewJob {
  klass: string;
  queue: string;
  data: RawJson;
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
  post(pathTo("/queues/:queue/pause", { queue }), pause);
export const unpauseQueue = (queue: string) => post(pathTo("/queues/:queue/unpause", { queue }));
export const forgetQueue = (queue: string) => drop(pathTo("/queues/:queue", { queue }));

export const setConfig = (name: string, value: string | number, queue?: string) =>
  put(settingAt(name, queue), { value });
export const unsetConfig = (name: string, queue?: string) => drop(settingAt(name, queue));
const settingAt = (name: string, queue: string | undefined) =>
  queue === undefined
    ? pathTo("/config/:name", { name })
    : pathTo("/queues/:queue/config/:name", { queue, name });

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
export const stopOperation = (id: string) => drop(pathTo("/operations/:id", { id }));

export const deregister = (worker: string) => drop(pathTo("/workers/:worker", { worker }));

export interface ScheduleDraft {
  klass: string;
  queue: string;
  data: RawJson;
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
  put(pathTo("/schedules/:jid", { jid }), draft);
export const dropSchedule = (jid: string) => drop(pathTo("/schedules/:jid", { jid }));
export const pauseSchedule = (jid: string, paused: boolean) =>
  paused
    ? post(pathTo("/schedules/:jid/pause", { jid }))
    : post(pathTo("/schedules/:jid/unpause", { jid }));

export interface RecurringDraft {
  klass: string;
  queue: string;
  data: RawJson;
  interval: number | string;
  offset?: number;
  priority?: number;
  retries?: number;
  tags?: readonly string[];
  backlog?: number;
}

export const setRecurring = (jid: string, draft: RecurringDraft) =>
  put(pathTo("/recurring/:jid", { jid }), draft);
export const dropRecurring = (jid: string) => drop(pathTo("/recurring/:jid", { jid }));
export const pauseRecurring = (jid: string, paused: boolean) =>
  paused
    ? post(pathTo("/recurring/:jid/pause", { jid }))
    : post(pathTo("/recurring/:jid/unpause", { jid }));
