/**
 * The queues that are compared, behind one interface. Each is used as its own documents show, with its
 * own defaults, except that bee-queue keeps nothing of jobs that are done: its fastest way.
 *
 *   open(place)            a connection; place is { port, file, postgres }
 *   put(data, delayMs, restMs)  one job; with a rest, it is tried once again after that
 *   putMany(list, delayMs) many jobs in one call
 *   work({ concurrency, run, queues }) starts a worker that runs `run(data)`; gives what stops it
 *   left()                 jobs that are neither done nor failed
 *   close()
 */

const QUEUE = "bench";

async function qlessAt(url, how = {}) {
  const { connect, Worker } = await import("../dist/index.js");
  const client = await connect(url, { onWarning: () => {}, ...how });
  const shape = (data, delay) => ({ klass: "klass", queue: QUEUE, data, ...(delay && { delay }) });
  const options = (delay, rest) => ({
    ...(delay && { delay }),
    ...(rest && { retries: 1, backoff: { kind: "fixed", base: rest } }),
  });
  return {
    put: (data, delay, rest) => client.queue(QUEUE).put("klass", data, options(delay, rest)),
    putMany: (list, delay) => client.putMany(list.map((data) => shape(data, delay))),
    async work({ concurrency, run, queues = [QUEUE] }) {
      const worker = new Worker(client, { queues, concurrency });
      worker.handle("klass", (job) => run(job.data));
      await worker.start();
      return () => worker.stop();
    },
    async left() {
      const { waiting, running, scheduled, depends, stalled } = await client.queue(QUEUE).counts();
      return waiting + running + scheduled + depends + stalled;
    },
    close: () => client.close(),
  };
}

async function bullAt({ port }) {
  const { Queue, Worker } = await import("bullmq");
  const connection = { host: "127.0.0.1", port };
  const queue = new Queue(QUEUE, { connection });
  await queue.waitUntilReady();
  const opts = (delay, rest) => ({
    ...(delay && { delay }),
    ...(rest && { attempts: 2, backoff: { type: "fixed", delay: rest } }),
  });
  return {
    put: (data, delay, rest) => queue.add("klass", data, opts(delay, rest)),
    putMany: (list, delay) =>
      queue.addBulk(list.map((data) => ({ name: "klass", data, opts: opts(delay) }))),
    async work({ concurrency, run, queues = [QUEUE] }) {
      const begin = (name) =>
        new Worker(name, async (job) => void (await run(job.data)), { connection, concurrency });
      const workers = queues.map(begin);
      await Promise.all(workers.map((worker) => worker.waitUntilReady()));
      return () => Promise.all(workers.map((worker) => worker.close()));
    },
    async left() {
      const counts = await queue.getJobCounts("waiting", "active", "delayed", "prioritized");
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
    close: () => queue.close(),
  };
}

async function beeAt({ port }) {
  const { default: BeeQueue } = await import("bee-queue");
  const common = { redis: { host: "127.0.0.1", port }, removeOnSuccess: true, storeJobs: false };
  const settings = { ...common, sendEvents: false, getEvents: false, activateDelayedJobs: true };
  const queue = new BeeQueue(QUEUE, { ...settings, isWorker: false });
  await queue.ready();
  const job = (data, delay, rest) => {
    const made = queue.createJob(data);
    if (rest) made.retries(1).backoff("fixed", rest);
    return delay ? made.delayUntil(Date.now() + delay) : made;
  };
  return {
    put: (data, delay, rest) => job(data, delay, rest).save(),
    putMany: (list, delay) => queue.saveAll(list.map((data) => job(data, delay))),
    async work({ concurrency, run, queues = [QUEUE] }) {
      const workers = queues.map((name) => new BeeQueue(name, settings));
      await Promise.all(workers.map((worker) => worker.ready()));
      for (const worker of workers) worker.process(concurrency, async (one) => run(one.data));
      return () => Promise.all(workers.map((worker) => worker.close(0).catch(() => {})));
    },
    async left() {
      const { waiting, active, delayed } = await queue.checkHealth();
      return waiting + active + delayed;
    },
    close: () => queue.close(0).catch(() => {}),
  };
}

async function graphileAt({ postgres }) {
  const { makeWorkerUtils, run: start, Logger } = await import("graphile-worker");
  const logger = new Logger(() => () => {});
  const connectionString = postgres;
  const utils = await makeWorkerUtils({ connectionString, logger, maxPoolSize: 10 });
  await utils.migrate();
  const spec = (delay) => (delay ? { runAt: new Date(Date.now() + delay) } : {});
  const ADD = `select graphile_worker.add_jobs(array(
    select json_populate_recordset(null::graphile_worker.job_spec, $1::json)))`;
  const shape = (payload, delay) => ({ identifier: "klass", payload, run_at: spec(delay).runAt });
  return {
    put: (data, delay) => utils.addJob("klass", data, spec(delay)),
    putMany: (list, delay) =>
      utils.withPgClient((client) =>
        client.query(ADD, [JSON.stringify(list.map((data) => shape(data, delay)))]),
      ),
    async work({ concurrency, run }) {
      const taskList = { klass: async (payload) => void (await run(payload)) };
      const options = { connectionString, concurrency, taskList, logger, noHandleSignals: true };
      const runner = await start({ ...options, maxPoolSize: 10 });
      return () => runner.stop();
    },
    left: () =>
      utils.withPgClient(async (client) => {
        const { rows } = await client.query("select count(*)::int as n from graphile_worker.jobs");
        return rows[0].n;
      }),
    close: () => utils.release(),
  };
}

export const SYSTEMS = {
  qless: ({ port }) => qlessAt(`redis://127.0.0.1:${port}`),
  BullMQ: bullAt,
  "bee-queue": beeAt,
  "qless on SQLite": ({ file }) => qlessAt(`sqlite:${file}`),
  "qless on SQLite without fsync": ({ file }) =>
    qlessAt(`sqlite:${file}`, { synchronous: "normal" }),
  "graphile-worker": graphileAt,
};
