import { describe, expect, test } from "vitest";
import { useLegacy } from "./client.ts";

const legacy = useLegacy();
const track = (jid = "a") => legacy.call("track", 0, "track", jid);
const lost = { event: "lock_lost", jid: "a", worker: "w" };

async function given(...options: (string | number)[]): Promise<void> {
  await legacy.put(0, "q", "a", ...options);
  await legacy.popped(0, "q", "w", ["a"]);
}

describe("put", () => {
  const event = { event: "put", jid: "a", queue: "q" };

  test("tells the log", async () => {
    expect(await legacy.hearingEvents(() => legacy.put(0, "q", "a"))).toEqual([["ql:log", event]]);
  });

  test("of a tracked job tells the log, then those who watch", async () => {
    await legacy.put(0, "q", "a");
    await track();
    expect(await legacy.hearingEvents(() => legacy.put(1, "q", "a"))).toEqual([
      ["ql:log", event],
      ["ql:put", "a"],
    ]);
  });

  test("of a tracked job that was canceled is told to those who watch", async () => {
    await legacy.put(0, "q", "a");
    await track();
    await legacy.call("cancel", 0, "a");
    expect(await legacy.hearingEvents(() => legacy.put(1, "q", "a"))).toEqual([
      ["ql:log", event],
      ["ql:put", "a"],
    ]);
  });

  test("of another's running job tells its worker", async () => {
    await given();
    await track();
    const put = () => legacy.call("put", 1, "other", "p", "a", "klass", "{}", 10);
    expect(await legacy.hearingEvents(put)).toEqual([
      ["ql:log", { event: "put", jid: "a", queue: "p" }],
      ["ql:w:w", lost],
      ["ql:log", lost],
      ["ql:put", "a"],
    ]);
  });

  test("of its own running job tells the worker nothing", async () => {
    await given();
    const put = () => legacy.call("put", 1, "w", "q", "a", "klass", "{}", 0);
    expect(await legacy.hearingEvents(put)).toEqual([["ql:log", event]]);
  });

  test("by requeue is told alike", async () => {
    await legacy.put(0, "q", "a");
    await track();
    const requeue = () => legacy.call("requeue", 1, "w", "q", "a", "klass", "{}", 0);
    expect(await legacy.hearingEvents(requeue)).toEqual([
      ["ql:log", event],
      ["ql:put", "a"],
    ]);
  });
});

describe("complete", () => {
  const event = { event: "completed", jid: "a", queue: "q" };

  test("tells the log, of a tracked job those who watch before it", async () => {
    await given();
    await legacy.put(0, "q", "b");
    await legacy.pop(0, "q", "w");
    expect(await legacy.hearingEvents(() => legacy.complete(1, "b", "w", "q"))).toEqual([
      ["ql:log", { ...event, jid: "b" }],
    ]);
    await track();
    expect(await legacy.hearingEvents(() => legacy.complete(1, "a", "w", "q"))).toEqual([
      ["ql:completed", "a"],
      ["ql:log", event],
    ]);
  });

  test("with next tells that the job advanced", async () => {
    await given();
    await track();
    const complete = () => legacy.complete(1, "a", "w", "q", "next", "p");
    expect(await legacy.hearingEvents(complete)).toEqual([
      ["ql:completed", "a"],
      ["ql:log", { event: "advanced", jid: "a", queue: "q", to: "p" }],
    ]);
  });
});

describe("fail", () => {
  const event = { event: "failed", jid: "a", worker: "w", group: "group", message: "message" };

  test("tells the log, then those who watch", async () => {
    await given();
    await track();
    expect(await legacy.hearingEvents(() => legacy.fail(1, "a", "w"))).toEqual([
      ["ql:log", event],
      ["ql:failed", "a"],
    ]);
  });

  test("of a job that nobody tracks tells the log", async () => {
    await given();
    expect(await legacy.hearingEvents(() => legacy.fail(1, "a", "w"))).toEqual([["ql:log", event]]);
  });
});

describe("retry", () => {
  test("tells nothing while retries are left", async () => {
    await given();
    const heard = await legacy.hearing(() => legacy.call("retry", 1, "a", "q", "w", 0));
    expect(heard.filter(([channel]) => channel !== "ql:log")).toEqual([]);
  });

  test("tells that retries are exhausted", async () => {
    await given("retries", 0);
    await track();
    const heard = await legacy.hearingEvents(() => legacy.call("retry", 1, "a", "q", "w", 0));
    expect(heard).toContainEqual(["ql:failed", "a"]);
    expect(heard).toContainEqual([
      "ql:log",
      expect.objectContaining({ event: "failed", jid: "a", group: "failed-retries-q" }),
    ]);
    expect(heard).toHaveLength(2);
  });
});

describe("cancel", () => {
  const event = { event: "canceled", jid: "a", queue: "q", worker: "" };
  const cancel = () => legacy.call("cancel", 1, "a");

  test("tells the log, of whatever state the job was in", async () => {
    const states: (() => Promise<unknown>)[] = [
      () => legacy.put(0, "q", "a"),
      () => legacy.schedule(0, "q", "a", 10),
      async () => {
        await legacy.put(0, "q", "b");
        await legacy.put(0, "q", "a", "depends", '["b"]');
      },
      async () => {
        await given();
        await legacy.fail(0, "a", "w");
      },
    ];
    for (const bring of states) {
      await legacy.redis.flushall();
      await bring();
      expect(await legacy.hearingEvents(cancel)).toEqual([["ql:log", event]]);
    }
  });

  test("of a running job tells the log, then its worker", async () => {
    await given();
    expect(await legacy.hearingEvents(cancel)).toEqual([
      ["ql:log", { ...event, worker: "w" }],
      ["ql:w:w", { ...event, worker: "w" }],
    ]);
  });

  test("of a tracked job tells those who watch last", async () => {
    await given();
    await track();
    expect(await legacy.hearingEvents(cancel)).toEqual([
      ["ql:log", { ...event, worker: "w" }],
      ["ql:w:w", { ...event, worker: "w" }],
      ["ql:canceled", "a"],
    ]);
  });

  test("of missing and completed jobs tells nothing", async () => {
    await given();
    await legacy.complete(0, "a", "w", "q");
    await track();
    expect(await legacy.hearing(() => legacy.call("cancel", 1, "a", "missing"))).toEqual([]);
  });
});

test("track and untrack are told each time, changed or not", async () => {
  await legacy.put(0, "q", "a");
  const heard = await legacy.hearing(async () => {
    for (const action of ["track", "track", "untrack", "untrack"]) {
      await legacy.call("track", 0, action, "a");
    }
  });
  expect(heard).toEqual([
    ["ql:track", "a"],
    ["ql:track", "a"],
    ["ql:untrack", "a"],
    ["ql:untrack", "a"],
  ]);
});

test("config.set and config.unset tell the log", async () => {
  const heard = await legacy.hearingEvents(async () => {
    await legacy.call("config.set", 0, "option", "value");
    await legacy.call("config.set", 0, "heartbeat", 30);
    await legacy.call("config.unset", 0, "option");
  });
  expect(heard).toEqual([
    ["ql:log", { event: "config_set", option: "option", value: "value" }],
    ["ql:log", { event: "config_set", option: "heartbeat", value: "30" }],
    ["ql:log", { event: "config_unset", option: "option" }],
  ]);
});

test("what concerns no worker and no watcher tells at most the log", async () => {
  await given();
  await legacy.put(0, "q", "b", "depends", '["a"]');
  const heard = await legacy.hearing(async () => {
    await legacy.call("heartbeat", 1, "a", "w", "{}");
    await legacy.call("priority", 1, "a", 3);
    await legacy.call("tag", 1, "add", "a", "x");
    await legacy.call("log", 1, "a", "message");
    await legacy.call("pause", 1, "q");
    await legacy.call("unpause", 1, "q");
    await legacy.call("depends", 1, "b", "off", "a");
    await legacy.recur(1, "q", "r", 60);
    await legacy.call("recur.update", 1, "r", "priority", 1);
    await legacy.peek(1, "q");
    await legacy.call("unrecur", 1, "r");
  });
  expect(heard.filter(([channel]) => channel !== "ql:log")).toEqual([]);
});

test("a refusal tells nothing", async () => {
  await given();
  await track();
  const heard = await legacy.hearing(async () => {
    for (const [command, ...args] of [
      ["put", "w", "q", "a", "klass", "{}", 0, "priority", "foo"],
      ["complete", "a", "other", "q", "{}"],
      ["fail", "a", "other", "group", "message"],
      ["retry", "a", "q", "other"],
      ["timeout", "a", "missing"],
      ["track", "track", "missing"],
      ["config.set", "heartbeat", "soon"],
    ] as const) {
      await expect(legacy.call(command, 1, ...args), command).rejects.toThrow();
    }
  });
  expect(heard).toEqual([]);
});

test("names of workers and jobs are told as they are", async () => {
  const name = 'w "1"/2 😀';
  await legacy.put(0, "q", name);
  await legacy.pop(0, "q", name);
  expect(await legacy.hearingEvents(() => legacy.call("cancel", 0, name))).toEqual([
    ["ql:log", { event: "canceled", jid: name, queue: "q", worker: name }],
    [`ql:w:${name}`, { event: "canceled", jid: name, queue: "q", worker: name }],
  ]);
});
