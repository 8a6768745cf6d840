import { describe, expect, test } from "vitest";
import { lua, useLegacy } from "./client.ts";

/** dist/qless-lib.lua with a script of one's own behind it, as users put them together. */

const legacy = useLegacy();
const lib = lua("qless-lib.lua");

const run = (script: string, ...argv: (string | number)[]) =>
  legacy.redis.eval(`${lib}\n${script}`, 0, ...argv);

describe("a script behind the library", () => {
  test("puts a job and writes of its own in one call", async () => {
    await run(`
      local q = qless("ql")
      q.put("", "w", "queue", "jid", "klass", "{}", 0)
      redis.call("SET", "order:1", "queued")
    `);
    expect(await legacy.redis.get("order:1")).toBe("queued");
    expect(await legacy.job(0, "jid")).toMatchObject({ queue: "queue", state: "waiting" });
  });

  test("gets the replies of commands as Lua values", async () => {
    const reply = await run(`
      local q = qless("ql")
      local jid = q.put(1, "w", "q", "a", "klass", '{"n":1}', 0, "priority", 3, "tags", '["x"]')
      local job = cjson.decode(q.get(1, "a"))
      local popped = q.pop(1, "q", "w", 10)
      local beat = q.heartbeat(2, "a", "w")
      local missing = q.get(2, "b")
      return { jid, job.state, job.priority, #popped, string.sub(popped[1], 1, 2), beat, tostring(missing) }
    `);
    expect(reply).toEqual(["a", "waiting", 3, 1, "a\t", 62, "false"]);
  });

  test("calls commands with a dot by either spelling", async () => {
    const reply = await run(`
      local q = qless("ql")
      q["config.set"](0, "heartbeat", 30)
      q.config_set(0, "mine", "text")
      return { q["config.get"](0, "heartbeat"), q.config_get(0, "mine") }
    `);
    expect(reply).toEqual(["30", "text"]);
  });

  test("has every command that there is", async () => {
    const names = (await run(`
      local names = {}
      for name in pairs(qless("ql")) do names[#names + 1] = name end
      return names
    `)) as string[];
    for (const name of [
      "put",
      "put.many",
      "put_many",
      "finish",
      "tick",
      "explain",
      "recur.update",
    ]) {
      expect(names).toContain(name);
    }
    expect(new Set(names.map((name) => name.replaceAll(".", "_"))).size).toBeGreaterThan(40);
  });

  test("takes the server's clock when it gives no time", async () => {
    const before = Math.floor(Date.now() / 1000) - 1;
    await run('qless("ql").put("", "w", "q", "a", "klass", "{}", 0)');
    const [put] = (await legacy.job(0, "a")).history;
    expect(put?.when).toBeGreaterThanOrEqual(before);
    expect(put?.when).toBeLessThanOrEqual(before + 60);
  });

  test("passes numbers, its own arguments and what it read on to commands", async () => {
    await legacy.redis.rpush("orders", "7", "8", "9");
    const reply = await run(
      `
      local q = qless(ARGV[1])
      local jids = {}
      for i, order in ipairs(redis.call("LRANGE", "orders", 0, -1)) do
        local data = cjson.encode({ order = tonumber(order) })
        jids[i] = q.put(ARGV[2], "w", "q", "order-" .. order, "klass", data, 0, "priority", -i)
      end
      redis.call("DEL", "orders")
      return jids
    `,
      "ql",
      12.5,
    );
    expect(reply).toEqual(["order-7", "order-8", "order-9"]);
    expect(await legacy.peek(13, "q")).toEqual(["order-9", "order-8", "order-7"]);
    expect(await legacy.job(13, "order-8")).toMatchObject({ priority: -2, data: '{"order":8}' });
    expect(await legacy.redis.exists("orders")).toBe(0);
  });

  test("works in several namespaces", async () => {
    await run(`
      local one, two = qless("one"), qless("{two}")
      one.put(0, "w", "q", "a", "klass", "{}", 0)
      two.put(0, "w", "q", "b", "klass", "{}", 0)
      one.put(1, "w", "q", "c", "klass", "{}", 0)
    `);
    const counted = await run(
      'return { qless("one").length(1, "q"), qless("{two}").length(1, "q"), qless("ql").length(1, "q") }',
    );
    expect(counted).toEqual([2, 1, 0]);
  });

  test("may do a whole round of work at once", async () => {
    const reply = await run(`
      local q = qless("ql")
      q.put(0, "w", "q", "a", "klass", "{}", 0)
      q.put(0, "w", "q", "b", "klass", "{}", 0, "depends", '["a"]')
      q.pop(1, "q", "w", 1)
      local state = q.complete(2, "a", "w", "q", "{}")
      local popped = q.pop(2, "q", "w", 1)
      q.fail(3, "b", "w", "group", "message")
      return { state, string.match(popped[1], "^[^\\t]*"), q.failed(3) }
    `);
    expect(reply).toEqual(["complete", "b", '{"group":1}']);
  });

  test("can decide by what it finds: a job that is put only once", async () => {
    const once = `
      local q = qless("ql")
      if q.get(0, ARGV[1]) then return 0 end
      q.put(0, "w", "q", ARGV[1], "klass", "{}", 0)
      return 1
    `;
    expect(await run(once, "a")).toBe(1);
    expect(await run(once, "a")).toBe(0);
    expect((await legacy.job(0, "a")).history).toHaveLength(1);
  });

  test("announces as commands do", async () => {
    const heard = await legacy.hearingEvents(() =>
      run('qless("ql").put(0, "w", "q", "a", "klass", "{}", 0)'),
    );
    expect(heard).toEqual([["ql:log", { event: "put", jid: "a", queue: "q" }]]);
  });

  test("runs with its comment lines taken out, as the Ruby client sends plugins", async () => {
    const bare = lib.replace(/^\s*--.*$\n?/gm, "");
    const script = 'return qless("ql").put(0, "w", "q", "a", "klass", "{}", 0)';
    expect(await legacy.redis.eval(`${bare}\n\n${script}`, 0)).toBe("a");
  });

  test("can be loaded once and called by its sha", async () => {
    const script = `${lib}\nreturn qless("ql").put(0, "w", "q", ARGV[1], "klass", "{}", 0)`;
    const sha = (await legacy.redis.script("LOAD", script)) as string;
    expect(await legacy.redis.evalsha(sha, 0, "a")).toBe("a");
    expect(await legacy.redis.evalsha(sha, 0, "b")).toBe("b");
  });
});

describe("a refusal in a script behind the library", () => {
  test("raises, with its code first, and leaves nothing of the command", async () => {
    const script = 'qless("ql").complete(0, "missing", "w", "q", "{}")';
    await expect(run(script)).rejects.toThrow(/^NO_SUCH_JOB Job missing does not exist/);
    await expect(run('qless("ql").put(0, "w")')).rejects.toThrow(/^BAD_ARGUMENT /);
    await expect(run('qless("no spaces").get(0, "a")')).rejects.toThrow(/^BAD_ARGUMENT /);
    expect(await legacy.redis.keys("*")).toEqual([]);
  });

  test("can be caught, and the script goes on", async () => {
    const reply = await run(`
      local q = qless("ql")
      local done, why = pcall(q.complete, 0, "missing", "w", "q", "{}")
      if type(why) == "table" then why = why.err end
      q.put(0, "w", "q", "a", "klass", "{}", 0)
      redis.call("SET", "went", "on")
      return { tostring(done), why }
    `);
    expect(reply).toEqual([
      "false",
      expect.stringMatching(/^NO_SUCH_JOB Job missing does not exist/),
    ]);
    expect(await legacy.redis.get("went")).toBe("on");
    expect(await legacy.state(0, "a")).toBe("waiting");
  });

  test("names another holder of the job by code", async () => {
    const reply = await run(`
      local q = qless("ql")
      q.put(0, "w", "q", "a", "klass", "{}", 0)
      q.pop(0, "q", "w", 1)
      local _, why = pcall(q.heartbeat, 0, "a", "other")
      if type(why) == "table" then why = why.err end
      return why
    `);
    expect(reply).toMatch(/^LOCK_LOST /);
  });
});

test("the library alone does nothing and leaves nothing behind", async () => {
  expect(await legacy.redis.eval(lib, 0)).toBeNull();
  expect(await legacy.redis.keys("*")).toEqual([]);
});
