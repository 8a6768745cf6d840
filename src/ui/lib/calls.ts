import { ask, get, pathTo, type Request } from "./api.ts";
import { workerFrom } from "./facts.ts";
import type {
  Counts,
  Criteria,
  Explanation,
  Groups,
  Job,
  Operation,
  Recurring,
  Schedule,
  ServerInfo,
  State,
  Statistics,
  Worker,
} from "./shapes.ts";
import type { History, Steps } from "./steps.ts";

/** Every question that pages ask. What changes something is in deeds.ts. */

type Signal = AbortSignal | undefined;

const V1 = "/api/v1";
const at = (pattern: string, names: Record<string, string>) => V1 + pathTo(pattern, names);

export const serverInfo = (signal?: Signal) => get<ServerInfo>(`${V1}/server`, {}, signal);

export const queues = async (signal?: Signal) =>
  (await get<{ queues: Counts[] }>(`${V1}/queues`, { count: 500 }, signal)).queues;

export const queue = (name: string, signal?: Signal) =>
  get<Counts>(at("/queues/:queue", { queue: name }), {}, signal);

/** Statistics of the first hundred queues. */
export async function allStatistics(signal?: Signal): Promise<Map<string, Statistics>> {
  type Shape = { queues: { name: string; statistics: Statistics }[] };
  const { queues } = await get<Shape>(`${V1}/stats`, { count: 100 }, signal);
  return new Map(queues.map(({ name, statistics }) => [name, statistics]));
}

/** Statistics of a queue on the day of that moment. */
export const statistics = (name: string, day: number | undefined, signal?: Signal) =>
  get<Statistics>(at("/queues/:queue/stats", { queue: name }), { day }, signal);

export const peek = async (name: string, count: number, signal?: Signal) =>
  (await get<{ jobs: Job[] }>(at("/queues/:queue/peek", { queue: name }), { count }, signal)).jobs;

export const jids = async (name: string, state: State | "recurring", count = 100, s?: Signal) =>
  (await get<{ jids: string[] }>(at("/queues/:queue/jobs", { queue: name }), { state, count }, s))
    .jids;

export const groups = (signal?: Signal) => get<Groups>(`${V1}/failures`, {}, signal);

/** How the first hundred queues went in the last ten minutes. */
export const histories = (signal?: Signal) =>
  get<Steps & { queues: History[] }>(`${V1}/history`, { count: 100 }, signal);

export const history = (name: string, span: "10m" | "24h", signal?: Signal) =>
  get<Steps & { history: History }>(
    at("/queues/:queue/history", { queue: name }),
    { span },
    signal,
  );

export const workers = async (signal?: Signal) =>
  (await get<{ workers: Worker[] }>(`${V1}/workers`, {}, signal)).workers.map(workerFrom);

export const workerJobs = (name: string, signal?: Signal) =>
  get<{ jobs: string[]; stalled: string[] }>(at("/workers/:worker", { worker: name }), {}, signal);

export const tracked = (offset: number, count: number, signal?: Signal) =>
  get<{ jobs: Job[]; expired: string[] }>(`${V1}/tracked`, { offset, count }, signal);

export const tags = async (signal?: Signal) =>
  (await get<{ tags: { tag: string; count: number }[] }>(`${V1}/tags`, { count: 200 }, signal))
    .tags;

export const job = (jid: string, signal?: Signal) =>
  get<Job>(at("/jobs/:jid", { jid }), {}, signal);

/** Those of the jobs that there are, in the order of the jids. */
export async function jobs(wanted: readonly string[], signal?: Signal): Promise<Job[]> {
  if (wanted.length === 0) return [];
  const request: Request = { method: "POST", path: `${V1}/jobs/get`, body: { jids: wanted } };
  return (await ask<{ jobs: Job[] }>(request, signal)).jobs;
}

export const explain = (jid: string, signal?: Signal) =>
  get<Explanation>(at("/jobs/:jid/explain", { jid }), {}, signal);

/** How a job ended, or `pending` if it had not after so many seconds. */
export const ended = (jid: string, wait: number, signal?: Signal) =>
  get<{ state: string; job: Job | null }>(at("/jobs/:jid/wait", { jid }), { wait }, signal);

export interface Found {
  jobs: Job[];
  cursor: string | null;
}

export const search = (criteria: Criteria, cursor: string, count: number, signal?: Signal) =>
  get<Found>(`${V1}/jobs`, { ...criteria, cursor, count }, signal);

export const schedules = async (signal?: Signal) =>
  (await get<{ schedules: Schedule[] }>(`${V1}/schedules`, { count: 200 }, signal)).schedules;

/** Recurring jobs of all queues, from a cursor on; null at the end. */
export const allRecurring = (cursor: string, signal?: Signal) =>
  get<{ recurring: Recurring[]; cursor: string | null }>(
    `${V1}/recurring`,
    { cursor, count: 200 },
    signal,
  );

export const recurring = (jid: string, signal?: Signal) =>
  get<Recurring>(at("/recurring/:jid", { jid }), {}, signal);

export const nextRuns = async (cron: string, zone: string, count: number, signal?: Signal) =>
  (await get<{ runs: number[] }>(`${V1}/cron`, { cron, zone, count }, signal)).runs;

export const config = async (signal?: Signal) =>
  (await get<{ config: Record<string, string | number> }>(`${V1}/config`, {}, signal)).config;

export const operations = async (signal?: Signal) =>
  (await get<{ operations: Operation[] }>(`${V1}/operations`, {}, signal)).operations;

export const operation = (id: string, wait: number, signal?: Signal) =>
  get<Operation>(at("/operations/:id", { id }), { wait }, signal);
