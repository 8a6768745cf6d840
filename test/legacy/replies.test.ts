import { expect, test } from "vitest";
import { type LegacyJob, useLegacy } from "./client.ts";

const legacy = useLegacy();

const ATTRIBUTES = [
  "data",
  "dependencies",
  "dependents",
  "expires",
  "failure",
  "history",
  "jid",
  "klass",
  "priority",
  "queue",
  "remaining",
  "retries",
  "spawned_from_jid",
  "state",
  "tags",
  "tracked",
  "worker",
];

test("get is the job object as text, and nil when there is no such job", async () => {
  await legacy.put(12345, "q", "a");
  expect(await legacy.json("get", 12345, "a")).toEqual({
    jid: "a",
    klass: "klass",
    state: "waiting",
    queue: "q",
    worker: "",
    tracked: false,
    priority: 0,
    expires: 0,
    retries: 5,
    remaining: 5,
    data: "{}",
    tags: [],
    history: [{ what: "put", q: "q", when: 12345 }],
    failure: {},
    spawned_from_jid: null,
    dependents: [],
    dependencies: [],
  });
  expect(await legacy.call("get", 12345, "b")).toBeNull();
});

test("get, multiget, pop, peek and track show the same attributes", async () => {
  await legacy.put(0, "q", "a");
  await legacy.call("track", 0, "track", "a");
  const [peeked] = await legacy.json<LegacyJob[]>("peek", 0, "q", 1);
  const got = await legacy.job(0, "a");
  const [among] = await legacy.json<LegacyJob[]>("multiget", 0, "a");
  const tracked = await legacy.json<{ jobs: LegacyJob[] }>("track", 0);
  const [popped] = await legacy.pop(0, "q", "w");
  await legacy.fail(0, "a", "w", "group");
  const failed = await legacy.job(0, "a");
  for (const job of [peeked, got, among, tracked.jobs[0], popped, failed]) {
    expect(Object.keys(job!).sort()).toEqual(ATTRIBUTES);
  }
  expect([peeked, among, tracked.jobs[0]]).toEqual([got, got, got]);
});

test("pop is the array of jobs as they now are", async () => {
  await legacy.put(0, "q", "a");
  expect(await legacy.pop(1, "q", "w", 1)).toEqual([
    {
      jid: "a",
      klass: "klass",
      state: "running",
      queue: "q",
      worker: "w",
      tracked: false,
      priority: 0,
      expires: 61,
      retries: 5,
      remaining: 5,
      data: "{}",
      tags: [],
      history: [
        { what: "put", q: "q", when: 0 },
        { what: "popped", worker: "w", when: 1 },
      ],
      failure: {},
      spawned_from_jid: null,
      dependents: [],
      dependencies: [],
    },
  ]);
});

test("empty arrays are arrays wherever they stand", async () => {
  expect(await legacy.call("pop", 0, "q", "w", 1)).toBe("[]");
  expect(await legacy.call("peek", 0, "q", 1)).toBe("[]");
  expect(await legacy.call("multiget", 0)).toBe("[]");
  expect(await legacy.call("multiget", 0, "a")).toBe("[]");
  expect(await legacy.call("tag", 0, "top")).toBe("[]");
  expect(await legacy.json("tag", 0, "get", "x")).toEqual({ total: 0, jobs: [] });
  expect(await legacy.json("failed", 0, "group")).toEqual({ total: 0, jobs: [] });
  expect(await legacy.json("track", 0)).toEqual({ jobs: [], expired: [] });
  expect(await legacy.json("workers", 0, "nobody")).toEqual({ jobs: [], stalled: [] });
  expect(await legacy.call("queues", 0)).toBe("[]");
});

test("failures without a group are an object, also when there are none", async () => {
  expect(await legacy.call("failed", 0)).toBe("{}");
  await legacy.redis.flushall();
});

test("put, requeue, recur and fail answer with the jid", async () => {
  expect(await legacy.put(0, "q", "a")).toBe("a");
  expect(await legacy.call("requeue", 0, "w", "q", "a", "klass", "{}", 0)).toBe("a");
  expect(await legacy.recur(0, "q", "r", 60, 10)).toBe("r");
  await legacy.pop(0, "q", "w");
  expect(await legacy.fail(0, "a", "w")).toBe("a");
});

test("complete answers with the new state as plain text", async () => {
  for (const jid of ["a", "b", "c", "d", "other"]) await legacy.put(0, "q", jid);
  await legacy.pop(0, "q", "w", 4);
  expect(await legacy.complete(1, "a", "w", "q")).toBe("complete");
  expect(await legacy.complete(1, "b", "w", "q", "next", "p")).toBe("waiting");
  expect(await legacy.complete(1, "c", "w", "q", "next", "p", "delay", 5)).toBe("scheduled");
  expect(await legacy.complete(1, "d", "w", "q", "next", "p", "depends", '["other"]')).toBe(
    "depends",
  );
});

test("heartbeat answers with the new expiry as an integer, rounded down", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  expect(await legacy.call("heartbeat", 1, "a", "w", "{}")).toBe(61);
  expect(await legacy.call("heartbeat", 2.75, "a", "w", "{}")).toBe(62);
  expect((await legacy.job(3, "a")).expires).toBe(62.75);
  await legacy.call("config.set", 3, "heartbeat", 0.5);
  expect(await legacy.call("heartbeat", 3, "a", "w", "{}")).toBe(3);
});

test("retry, unfail, length, priority, depends, unrecur and recur.update are integers", async () => {
  await legacy.put(0, "q", "a", "retries", 2);
  await legacy.put(0, "q", "b", "depends", '["a"]');
  expect(await legacy.call("length", 0, "q")).toBe(1);
  expect(await legacy.call("priority", 0, "a", 7.9)).toBe(7);
  expect(await legacy.call("priority", 0, "a", -7.9)).toBe(-7);
  expect(await legacy.call("priority", 0, "a", 0)).toBe(0);
  expect(await legacy.call("depends", 0, "b", "on", "a")).toBe(1);
  expect(await legacy.call("depends", 0, "b", "off", "a")).toBe(1);
  await legacy.pop(0, "q", "w");
  expect(await legacy.call("retry", 0, "a", "q", "w", 0)).toBe(1);
  await legacy.pop(0, "q", "w");
  await legacy.fail(0, "a", "w");
  expect(await legacy.call("unfail", 0, "q", "group", 10)).toBe(1);
  expect(await legacy.call("unfail", 0, "q", "group", 10)).toBe(0);
  await legacy.recur(0, "q", "r", 60, 10);
  expect(await legacy.call("recur.update", 0, "r", "priority", 3)).toBe(1);
  expect(await legacy.call("unrecur", 0, "r")).toBe(1);
  expect(await legacy.call("unrecur", 0, "r")).toBe(1);
});

test("jobs and cancel are arrays of jids, not JSON", async () => {
  await legacy.put(0, "q", "a");
  await legacy.put(0, "q", "b");
  await legacy.pop(0, "q", "w");
  expect(await legacy.call("jobs", 0, "running", "q")).toEqual(["a", "b"]);
  expect(await legacy.call("jobs", 0, "complete")).toEqual([]);
  expect(await legacy.call("cancel", 0, "b", "a")).toEqual(["b", "a"]);
  expect(await legacy.call("cancel", 0)).toEqual([]);
});

test("what has nothing to say answers nil", async () => {
  await legacy.put(0, "q", "a");
  await legacy.pop(0, "q", "w");
  expect(await legacy.call("log", 0, "a", "message", '{"n":1}')).toBeNull();
  expect(await legacy.call("timeout", 0, "a")).toBeNull();
  expect(await legacy.call("pause", 0, "q")).toBeNull();
  expect(await legacy.call("unpause", 0, "q")).toBeNull();
  expect(await legacy.call("queue.forget", 0, "q")).toBeNull();
  expect(await legacy.call("worker.deregister", 0, "w")).toBeNull();
  expect(await legacy.call("config.set", 0, "option", 1)).toBeNull();
  expect(await legacy.call("config.unset", 0, "option")).toBeNull();
  expect(await legacy.call("config.get", 0, "option")).toBeNull();
  expect(await legacy.call("recur.get", 0, "r")).toBeNull();
});

test("tag, track and recur.tag answer with JSON", async () => {
  await legacy.put(0, "q", "a");
  await legacy.recur(0, "q", "r", 60, 10);
  expect(await legacy.json("tag", 0, "add", "a", "x", "y")).toEqual(["x", "y"]);
  expect(await legacy.json("tag", 0, "remove", "a", "x", "y")).toEqual([]);
  expect(await legacy.json("track", 0, "track", "a")).toBe(1);
  expect(await legacy.json("track", 0, "track", "a")).toBe(0);
  expect(await legacy.json("track", 0, "untrack", "a")).toBe(1);
  expect(await legacy.json("track", 0, "untrack", "a")).toBe(0);
  expect(await legacy.json("recur.tag", 0, "r", "x")).toEqual(["x"]);
  expect(await legacy.json("recur.untag", 0, "r", "x")).toEqual([]);
});

test("data comes back byte for byte through every command that carries it", async () => {
  const texts = [
    "[]",
    "{}",
    '{"a/b": [1,  2], "n": 123456789012345678, "e": 1.0e2, "x": null}',
    '"text"',
    "17",
    "null",
    '{"unicode": "ä € 😀", "escaped": "\\u00e4\\/\\n\\"", "z": {}, "y": []}',
    ' { "blanks" : true } ',
  ];
  for (const [i, data] of texts.entries()) {
    const jid = `j${i}`;
    await legacy.call("put", 0, "w", "q", jid, "klass", data, 0);
    expect((await legacy.job(0, jid)).data).toBe(data);
    expect((await legacy.pop(0, "q", "w"))[0]?.data).toBe(data);
    await legacy.call("put", 0, "w", "q", jid, "klass", "{}", 0);
    await legacy.pop(0, "q", "w");
    await legacy.call("heartbeat", 0, jid, "w", data);
    expect((await legacy.job(0, jid)).data).toBe(data);
    await legacy.call("complete", 0, jid, "w", "q", data, "next", "q");
    expect((await legacy.pop(0, "q", "w"))[0]?.data).toBe(data);
    await legacy.call("heartbeat", 0, jid, "w", "{}");
    await legacy.call("fail", 0, jid, "w", "group", "message", data);
    expect((await legacy.job(0, jid)).data).toBe(data);
    await legacy.call("recur", 0, "q", `r${i}`, "klass", data, "interval", 60, 0);
    expect((await legacy.pop(0, "q", "w"))[0]?.data).toBe(data);
    await legacy.call("recur.update", 0, `r${i}`, "data", data);
    expect(await legacy.json("recur.get", 0, `r${i}`)).toMatchObject({ data });
  }
});

test("names come back as they were given, quotes and slashes and all", async () => {
  const name = 'a "b" \\c/d 😀 {x} *';
  await legacy.call("put", 0, "w", name, name, name, "{}", 0, "tags", JSON.stringify([name]));
  const [job] = await legacy.pop(0, name, name);
  expect(job).toMatchObject({ jid: name, klass: name, queue: name, worker: name, tags: [name] });
  expect(await legacy.json("workers", 0, name)).toEqual({ jobs: [name], stalled: [] });
  await legacy.fail(0, name, name, name, name);
  expect(await legacy.json("failed", 0)).toEqual({ [name]: 1 });
  expect((await legacy.job(0, name)).failure).toMatchObject({ group: name, message: name });
});
