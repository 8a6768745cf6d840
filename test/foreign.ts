import type { Redis } from "ioredis";

/** Seconds, as qless-core scores everything. */
export const FILLED_AT = 1_600_000_000;
const DAY = FILLED_AT - (FILLED_AT % 86400);

/** A job as qless-core stores it. */
function jobFields(jid: string, state: string, more: Record<string, string | number> = {}) {
  return {
    ...{ jid, klass: "Welcome", data: '{"n":1}', state, queue: "q", worker: "", priority: 0 },
    ...{ expires: 0, retries: 5, remaining: 5, tags: '["x"]', time: FILLED_AT },
    ...more,
  };
}

/** Fills the namespace with the keys that qless-core writes: a job of each state, and the rest. */
export async function fillAsQlessCore(redis: Redis, ns = "ql"): Promise<void> {
  const job = async (jid: string, state: string, more = {}) => {
    await redis.hset(`${ns}:j:${jid}`, jobFields(jid, state, more));
    await redis.rpush(`${ns}:j:${jid}-history`, `[${FILLED_AT},"put",{"q":"q"}]`);
    await redis.zadd(`${ns}:t:x`, FILLED_AT, jid);
  };
  await job("waiting", "waiting");
  await redis.zadd(`${ns}:q:q-work`, -0.16, "waiting");
  await job("running", "running", { worker: "w", expires: FILLED_AT + 60 });
  await redis.zadd(`${ns}:q:q-locks`, FILLED_AT + 60, "running");
  await redis.zadd(`${ns}:w:w:jobs`, FILLED_AT + 60, "running");
  await job("scheduled", "scheduled");
  await redis.zadd(`${ns}:q:q-scheduled`, FILLED_AT + 60, "scheduled");
  await job("depending", "depends");
  await redis.zadd(`${ns}:q:q-depends`, FILLED_AT, "depending");
  await redis.sadd(`${ns}:j:depending-dependencies`, "waiting");
  await redis.sadd(`${ns}:j:waiting-dependents`, "depending");
  const failure = JSON.stringify({ group: "g", message: "m", when: FILLED_AT, worker: "w" });
  await job("failed", "failed", { failure });
  await redis.sadd(`${ns}:failures`, "g");
  await redis.lpush(`${ns}:f:g`, "failed");
  await job("complete", "complete", { queue: "" });
  await redis.zadd(`${ns}:completed`, FILLED_AT, "complete");
  await redis.zadd(`${ns}:tracked`, FILLED_AT, "waiting");
  await redis.zadd(`${ns}:tags`, 6, "x");
  await redis.hset(`${ns}:r:recurring`, {
    ...{ jid: "recurring", klass: "Clean", data: "{}", priority: 0, tags: "{}", state: "recur" },
    ...{ queue: "q", type: "interval", count: 3, interval: 60, retries: 5, backlog: 0 },
  });
  await redis.zadd(`${ns}:q:q-recur`, FILLED_AT + 60, "recurring");
  await redis.zadd(`${ns}:queues`, FILLED_AT, "q");
  await redis.sadd(`${ns}:paused_queues`, "q");
  await redis.zadd(`${ns}:workers`, FILLED_AT, "w");
  await redis.hset(`${ns}:s:stats:${DAY}:q`, { failures: 1, failed: 1 });
  await redis.hset(`${ns}:s:wait:${DAY}:q`, { total: 1, mean: 1, vk: 0, s0: 1 });
  await redis.hset(`${ns}:config`, { heartbeat: 60 });
}

/** Every key of the database with its serialised value. */
export async function allKeys(redis: Redis): Promise<[string, string][]> {
  const keys = (await redis.keys("*")).sort();
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return keys.map((key, i) => [key, String(dumps[i]?.toString("base64"))]);
}
