import type { Client } from "../../src/client/client.ts";

/** A request for each route, right in itself, on the jobs that `prepare` puts. */

export interface Sample {
  path: string;
  body?: unknown;
  /** What the answer must hold; default: anything that the document allows. */
  gives?: object;
}

export interface Prepared {
  lease: number;
}

/** A job in each state, and one of everything else. */
export async function prepare(client: Client): Promise<Prepared> {
  const queue = client.queue("q");
  await client.recurring.set("rec", "k", { n: 1 }, { interval: "1h", offset: "1h", queue: "r" });
  await client.schedules.set("sch", "k", {}, { cron: "0 9 * * *", jitter: "5s" });
  for (const jid of ["failing", "running", "renewed", "ending"]) {
    await queue.put("k", { jid }, { jid, source: "shop", cutoff: "1h" });
  }
  const [failing, running] = await queue.pop({ worker: "w", count: 4 });
  await failing!.fail("group", "message");
  await queue.put("k", { n: 1 }, { jid: "waiting", tags: ["a", "b"], unique: "key" });
  await queue.put("k", { n: 2 }, { jid: "another", tags: ["a", "b"] });
  await queue.put("k", {}, { jid: "later", delay: "1h" });
  await queue.put("k", {}, { jid: "depending", depends: ["waiting", "later"] });
  await client.put("done", {}, { jid: "done" });
  const [done] = await client.queue("done").pop({ worker: "w" });
  await done!.complete();
  await (await client.get("later"))!.track();
  return { lease: running!.lease };
}

const put = { klass: "k", data: { n: 1 } };

/** By method and path of the route. */
export const SAMPLES: Readonly<Record<string, (prepared: Prepared) => Sample>> = {
  "GET /get/:queue": () => ({ path: "/get/q?host=w", gives: { results: { id: "waiting" } } }),
  "GET /get/:queue/:count": () => ({ path: "/get/q/2" }),
  "POST /get/:queue": () => ({ path: "/get/q", body: { host: "w" } }),
  "POST /get/:queue/:count": () => ({ path: "/get/q/1", body: {} }),
  "POST /heartbeat/:queue": () => ({
    path: "/heartbeat/q",
    body: { host: "w", data: ["renewed", { id: "running" }, "nobody"] },
    gives: { results: [60, 60, false] },
  }),
  "POST /complete/:queue": () => ({
    path: "/complete/q",
    body: {
      host: "w",
      data: [
        { id: "ending", meta: { n: 2 } },
        { id: "nobody", meta: null },
      ],
    },
    gives: { results: ["ending"] },
  }),
  "POST /add/:queue": () => ({
    path: "/add/q",
    body: { data: [{ meta: { n: 1 }, id: "added", delay: "1m" }] },
    gives: { results: ["added"] },
  }),
  "GET /queues": () => ({ path: "/queues" }),
  "GET /job/:id": () => ({ path: "/job/failing", gives: { results: { state: "failed" } } }),
  "POST /api/v1/jobs": () => ({
    path: "/api/v1/jobs",
    body: { ...put, jid: "new", unique: { key: "u", for: 60 }, at: "2031-01-01T00:00:00Z" },
    gives: { jid: "new", outcome: "created" },
  }),
  "POST /api/v1/jobs/batch": () => ({
    path: "/api/v1/jobs/batch",
    body: { jobs: [put, { ...put, unique: "key" }] },
    gives: { jobs: [{ outcome: "created" }, { jid: "waiting", outcome: "kept" }] },
  }),
  "POST /api/v1/pop": () => ({
    path: "/api/v1/pop",
    body: { queues: ["empty", "q"], worker: "w", count: 2 },
    gives: { jobs: [{ jid: "waiting", data: { n: 1 } }, { jid: "another" }] },
  }),
  "POST /api/v1/heartbeat": ({ lease }) => ({
    path: "/api/v1/heartbeat",
    body: {
      worker: "w",
      jobs: [
        { jid: "running", lease },
        { jid: "running", lease: 999 },
      ],
    },
    gives: { jobs: [{ jid: "running" }, { error: { code: "LOCK_LOST" } }] },
  }),
  "POST /api/v1/finish": () => ({
    path: "/api/v1/finish",
    body: {
      worker: "w",
      queues: ["q"],
      count: 1,
      outcomes: [
        { verb: "complete", jid: "running", data: { n: 2 }, next: "archive", delay: 5 },
        { verb: "fail", jid: "renewed", group: "g", message: "m" },
        { verb: "retry", jid: "ending", delay: "10s", spend: false, backoff: "fixed 5" },
        { verb: "complete", jid: "nobody" },
      ],
    },
    gives: {
      outcomes: [
        { jid: "running", value: "scheduled" },
        { value: "failed" },
        { value: "5" },
        { error: { code: "NO_SUCH_JOB" } },
      ],
      jobs: [{ jid: "waiting" }],
    },
  }),
  "GET /api/v1/jobs": () => ({
    path: "/api/v1/jobs?state=waiting&tag=a&count=1",
    gives: { jobs: [{}] },
  }),
  "POST /api/v1/jobs/get": () => ({
    path: "/api/v1/jobs/get",
    body: { jids: ["waiting", "nobody", "failing"] },
    gives: { jobs: [{ jid: "waiting" }, { jid: "failing" }] },
  }),
  "GET /api/v1/jobs/:jid": () => ({ path: "/api/v1/jobs/later", gives: { state: "scheduled" } }),
  "GET /api/v1/jobs/:jid/explain": () => ({
    path: "/api/v1/jobs/depending/explain",
    gives: { reasons: [{ reason: "depends", count: 2 }] },
  }),
  "GET /api/v1/jobs/:jid/wait": () => ({
    path: "/api/v1/jobs/done/wait?wait=1",
    gives: { state: "complete", job: { jid: "done" } },
  }),
  "GET /api/v1/completed": () => ({ path: "/api/v1/completed", gives: { jids: ["done"] } }),
  "DELETE /api/v1/jobs/:jid": () => ({ path: "/api/v1/jobs/another" }),
  "POST /api/v1/jobs/cancel": () => ({
    path: "/api/v1/jobs/cancel",
    body: { jids: ["another", "failing"] },
  }),
  "POST /api/v1/jobs/move": () => ({
    path: "/api/v1/jobs/move",
    body: { queue: "other", jids: ["another", "nobody"] },
    gives: { jobs: [{ value: "waiting" }, { error: { code: "NO_SUCH_JOB" } }] },
  }),
  "POST /api/v1/jobs/:jid/move": () => ({
    path: "/api/v1/jobs/another/move",
    body: { queue: "other" },
  }),
  "POST /api/v1/jobs/:jid/retry": () => ({ path: "/api/v1/jobs/failing/retry", body: {} }),
  "POST /api/v1/jobs/:jid/timeout": () => ({ path: "/api/v1/jobs/running/timeout", body: {} }),
  "PUT /api/v1/jobs/:jid/priority": () => ({
    path: "/api/v1/jobs/another/priority",
    body: { priority: -3.5 },
  }),
  "POST /api/v1/jobs/:jid/tags": () => ({
    path: "/api/v1/jobs/another/tags",
    body: { add: ["c"], remove: ["a"] },
    gives: { tags: ["b", "c"] },
  }),
  "POST /api/v1/jobs/:jid/depends": () => ({
    path: "/api/v1/jobs/depending/depends",
    body: { on: ["another"], off: ["later"] },
  }),
  "PUT /api/v1/jobs/:jid/tracked": () => ({
    path: "/api/v1/jobs/another/tracked",
    body: { tracked: true },
  }),
  "POST /api/v1/jobs/:jid/log": () => ({
    path: "/api/v1/jobs/another/log",
    body: { message: "seen", data: { by: "me" } },
  }),
  "GET /api/v1/queues": () => ({ path: "/api/v1/queues?count=10" }),
  "GET /api/v1/queues/:queue": () => ({
    path: "/api/v1/queues/q",
    gives: { waiting: 2, running: 3, scheduled: 1, depends: 1, paused: false },
  }),
  "GET /api/v1/queues/:queue/jobs": () => ({
    path: "/api/v1/queues/q/jobs?state=waiting",
    gives: { jids: ["waiting", "another"] },
  }),
  "GET /api/v1/queues/:queue/peek": () => ({
    path: "/api/v1/queues/q/peek?count=2",
    gives: { jobs: [{ jid: "waiting" }, { jid: "another" }] },
  }),
  "GET /api/v1/queues/:queue/stats": () => ({
    path: "/api/v1/queues/q/stats",
    gives: { wait: { count: 4 }, failures: 1 },
  }),
  "GET /api/v1/stats": () => ({ path: "/api/v1/stats?count=100" }),
  "POST /api/v1/queues/:queue/pause": () => ({
    path: "/api/v1/queues/q/pause",
    body: { reason: "deploying", for: "10m" },
  }),
  "POST /api/v1/queues/:queue/unpause": () => ({ path: "/api/v1/queues/q/unpause", body: {} }),
  "DELETE /api/v1/queues/:queue": () => ({ path: "/api/v1/queues/done" }),
  "GET /api/v1/failures": () => ({
    path: "/api/v1/failures",
    gives: {
      groups: [{ group: "group", count: 1, jid: "failing", message: "message", queues: ["q"] }],
      total: 1,
      jobs: 1,
    },
  }),
  "GET /api/v1/failures/:group": () => ({
    path: "/api/v1/failures/group?count=5",
    gives: { total: 1, jids: ["failing"] },
  }),
  "POST /api/v1/failures/:group/unfail": () => ({
    path: "/api/v1/failures/group/unfail",
    body: { queue: "q" },
    gives: { count: 1 },
  }),
  "GET /api/v1/workers": () => ({ path: "/api/v1/workers" }),
  "GET /api/v1/workers/:worker": () => ({ path: "/api/v1/workers/w" }),
  "DELETE /api/v1/workers/:worker": () => ({ path: "/api/v1/workers/w" }),
  "GET /api/v1/history": () => ({ path: "/api/v1/history?span=24h&count=5", gives: { step: 60 } }),
  "GET /api/v1/queues/:queue/history": () => ({
    path: "/api/v1/queues/q/history",
    gives: { step: 10, history: { name: "q" } },
  }),
  "GET /api/v1/recurring": () => ({
    path: "/api/v1/recurring?count=5",
    gives: { recurring: [{ jid: "rec", queue: "r" }], cursor: null },
  }),
  "GET /api/v1/recurring/:jid": () => ({
    path: "/api/v1/recurring/rec",
    gives: { interval: 3600 },
  }),
  "PUT /api/v1/recurring/:jid": () => ({
    path: "/api/v1/recurring/rec",
    body: { ...put, interval: "30m", offset: 60, backlog: 1 },
  }),
  "DELETE /api/v1/recurring/:jid": () => ({ path: "/api/v1/recurring/rec" }),
  "POST /api/v1/recurring/:jid/pause": () => ({ path: "/api/v1/recurring/rec/pause", body: {} }),
  "POST /api/v1/recurring/:jid/unpause": () => ({
    path: "/api/v1/recurring/rec/unpause",
    body: {},
  }),
  "GET /api/v1/schedules": () => ({
    path: "/api/v1/schedules",
    gives: { schedules: [{ jid: "sch", jitter: 5 }] },
  }),
  "GET /api/v1/schedules/:jid": () => ({ path: "/api/v1/schedules/sch" }),
  "GET /api/v1/cron": () => ({
    path: "/api/v1/cron?cron=0%209%20*%20*%20*&zone=Europe%2FBerlin&count=2&after=1900000000",
    gives: { runs: [1900051200, 1900137600] },
  }),
  "PUT /api/v1/schedules/:jid": () => ({
    path: "/api/v1/schedules/nightly",
    body: { ...put, cron: "0 3 * * *", overlap: "skip", jitter: "1m", missed: "all" },
  }),
  "DELETE /api/v1/schedules/:jid": () => ({ path: "/api/v1/schedules/sch" }),
  "POST /api/v1/schedules/:jid/pause": () => ({ path: "/api/v1/schedules/sch/pause", body: {} }),
  "POST /api/v1/schedules/:jid/unpause": () => ({
    path: "/api/v1/schedules/sch/unpause",
    body: {},
  }),
  "GET /api/v1/unique/:key": () => ({ path: "/api/v1/unique/key", gives: { jid: "waiting" } }),
  "DELETE /api/v1/unique/:key": () => ({ path: "/api/v1/unique/key", gives: { freed: true } }),
  "GET /api/v1/tags": () => ({
    path: "/api/v1/tags",
    gives: {
      tags: [
        { tag: "b", count: 2 },
        { tag: "a", count: 2 },
      ],
    },
  }),
  "GET /api/v1/tracked": () => ({
    path: "/api/v1/tracked?offset=0&count=5",
    gives: { jobs: [{ jid: "later" }] },
  }),
  "GET /api/v1/config": () => ({ path: "/api/v1/config", gives: { config: { heartbeat: 60 } } }),
  "PUT /api/v1/config/:name": () => ({ path: "/api/v1/config/heartbeat", body: { value: 90 } }),
  "DELETE /api/v1/config/:name": () => ({ path: "/api/v1/config/heartbeat" }),
  "PUT /api/v1/queues/:queue/config/:name": () => ({
    path: "/api/v1/queues/q/config/max-concurrency",
    body: { value: 5 },
  }),
  "DELETE /api/v1/queues/:queue/config/:name": () => ({ path: "/api/v1/queues/q/config/cutoff" }),
  "POST /api/v1/bulk": () => ({
    path: "/api/v1/bulk",
    body: { action: "tag", tags: ["x"], filter: { queue: "q", state: "waiting" }, wait: 10 },
    gives: { state: "done", found: 2, done: 2, refused: 0 },
  }),
  "POST /api/v1/check": () => ({
    path: "/api/v1/check",
    body: { wait: 10 },
    gives: { state: "done", findings: [] },
  }),
  "GET /api/v1/operations": () => ({ path: "/api/v1/operations" }),
  "GET /api/v1/operations/:id": () => ({ path: "/api/v1/operations/none" }),
  "DELETE /api/v1/operations/:id": () => ({ path: "/api/v1/operations/none" }),
  "POST /api/v1/tick": () => ({ path: "/api/v1/tick", body: {} }),
  "GET /healthz": () => ({ path: "/healthz", gives: { ok: true } }),
  "GET /readyz": () => ({ path: "/readyz", gives: { ready: true } }),
  "GET /metrics": () => ({ path: "/metrics" }),
  "GET /api/v1/openapi.json": () => ({ path: "/api/v1/openapi.json" }),
  "GET /api/v1/server": () => ({ path: "/api/v1/server" }),
  "GET /api/v1/events": () => ({ path: "/api/v1/events" }),
  "GET /": () => ({ path: "/" }),
  "GET /ui": () => ({ path: "/ui" }),
  "GET /ui/*": () => ({ path: "/ui/" }),
};
