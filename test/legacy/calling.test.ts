import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { lua, useLegacy } from "./client.ts";

const legacy = useLegacy();
const script = lua("qless.lua");

/** Every command of qless-core with arguments that fit it. */
const COMMANDS: [command: string, ...args: (string | number)[]][] = [
  ["put", "w", "q", "a", "klass", "{}", 0],
  ["get", "a"],
  ["multiget", "a"],
  ["requeue", "w", "q", "a", "klass", "{}", 0],
  ["peek", "q", 1],
  ["priority", "a", 1],
  ["track"],
  ["tag", "top"],
  ["log", "a", "message"],
  ["length", "q"],
  ["queues"],
  ["jobs", "complete"],
  ["pop", "q", "w", 1],
  ["heartbeat", "a", "w", "{}"],
  ["timeout", "a"],
  ["pop", "q", "w", 1],
  ["retry", "a", "q", "w"],
  ["pop", "q", "w", 1],
  ["fail", "a", "w", "group", "message"],
  ["failed"],
  ["unfail", "q", "group"],
  ["pop", "q", "w", 1],
  ["complete", "a", "w", "q", "{}"],
  ["put", "w", "q", "b", "klass", "{}", 0],
  ["put", "w", "q", "c", "klass", "{}", 0, "depends", '["b"]'],
  ["depends", "c", "off", "all"],
  ["cancel", "b", "c"],
  ["pause", "q"],
  ["unpause", "q"],
  ["queue.forget", "q"],
  ["workers"],
  ["worker.deregister", "w"],
  ["stats", "q", 0],
  ["config.set", "option", "value"],
  ["config.get", "option"],
  ["config.unset", "option"],
  ["recur", "q", "r", "klass", "{}", "interval", 60, 0],
  ["recur.get", "r"],
  ["recur.update", "r", "priority", 1],
  ["recur.tag", "r", "x"],
  ["recur.untag", "r", "x"],
  ["unrecur", "r"],
];

test("the script knows all thirty-seven commands", async () => {
  expect(new Set(COMMANDS.map(([command]) => command)).size).toBe(37);
  for (const [command, ...args] of COMMANDS) {
    await expect(legacy.call(command, 1, ...args), command).resolves.not.toThrow();
  }
});

test("the script knows no command that qless-core had not", async () => {
  for (const command of ["put.many", "finish", "tick", "check", "explain", "heartbeat.many"]) {
    await legacy.refused(legacy.call(command, 0, "a"), `Unknown command ${command}`);
  }
});

test("the script refuses keys before anything else", async () => {
  await legacy.refused(legacy.redis.eval(script, 1, "ql"), "No Keys should be provided");
  await legacy.refused(
    legacy.redis.eval(script, 1, "ql", "get", "0", "a"),
    "No Keys should be provided",
  );
});

test("the script refuses a call without a command", async () => {
  await legacy.refused(legacy.evalsha(), "Must provide a command");
});

test("the script refuses commands that it does not know, in any spelling but its own", async () => {
  for (const name of ["foo", "PUT", "Put", "", "constructor", "__index", "recur.on", "config"]) {
    await legacy.refused(legacy.evalsha(name), /^Unknown command/);
  }
});

test("the script needs the time, and checks it after the command", async () => {
  const sentence = 'Arg "now" missing or not a number: nil';
  await legacy.refused(legacy.evalsha("put"), sentence);
  for (const now of ["foo", "", "nil", "1 2", "{}"]) {
    await legacy.refused(legacy.call("get", now, "a"), sentence);
  }
  await legacy.refused(legacy.call("foo", "foo"), "Unknown command foo");
});

test("the time may be any number of seconds, with a fraction or without", async () => {
  const times: [now: string | number, when: number][] = [
    [0, 0],
    [1, 1],
    [2.5, 2],
    ["12345.678901", 12345],
    ["1389383022.9999", 1389383022],
    ["1e3", 1000],
  ];
  for (const [now, when] of times) {
    await legacy.redis.flushall();
    await legacy.put(now, "q", "a");
    expect((await legacy.job(now, "a")).history).toEqual([{ what: "put", q: "q", when }]);
  }
});

test("the sha of the file is the name to call it by, and SCRIPT LOAD brings it back", async () => {
  const sha = createHash("sha1").update(script).digest("hex");
  await legacy.redis.script("FLUSH");
  await expect(legacy.call("get", 0, "a")).rejects.toThrow(/^NOSCRIPT/);
  expect(await legacy.redis.script("LOAD", script)).toBe(sha);
  expect(await legacy.call("get", 0, "a")).toBeNull();
});

test("the script runs through EVAL as well", async () => {
  const reply = await legacy.redis.eval(script, 0, "put", 0, "w", "q", "a", "klass", "{}", 0);
  expect(reply).toBe("a");
});

test("the script runs with its comment lines taken out, as the Ruby client may send it", async () => {
  const bare = script.replace(/^\s*--.*$\n?/gm, "");
  expect(bare.length).toBeLessThan(script.length);
  const put = ["put", 0, "w", "q", "a", "klass", "{}", 0, "tags", '["x"]'];
  expect(await legacy.redis.eval(bare, 0, ...put)).toBe("a");
  expect(await legacy.redis.eval(bare, 0, "get", 0, "a")).toContain('"tags":["x"]');
});

test("a refusal names the command, and says what is wrong with which argument", async () => {
  await legacy.refused(legacy.call("get", 0), /^\w+\(\): .*(jid)/);
  await legacy.refused(legacy.call("pop", 0, "q"), /^Pop\(\): .*"worker" missing/);
  await legacy.refused(legacy.call("stats", 0, "q", "foo"), /^Stats\(\): Arg "date".*foo/);
});

test("a line break in an argument does not break the error line", async () => {
  await legacy.refused(legacy.evalsha("a\r\nb"), /^Unknown command/);
  await legacy.refused(legacy.call("get", 0, "a\r\nb"), /./);
  await legacy.refused(legacy.put(0, "q", "a", "priority", "1\r\n2"), /./);
  await legacy.refused(legacy.call("put", 0, "w", "q", "a", "k", "{\r\n", 0), /./);
});

test("config.set of an option writes its key and the mark of the layout, and no more", async () => {
  await legacy.call("config.set", 0, "option", 3);
  expect((await legacy.redis.keys("*")).sort()).toEqual(["ql", "ql:config"]);
});

test("commands that read write nothing", async () => {
  await legacy.put(0, "q", "a", "tags", '["x"]');
  await legacy.put(0, "q", "b", "depends", '["a"]');
  await legacy.pop(0, "q", "w");
  const before = await legacy.contents();
  await legacy.call("get", 100, "a");
  await legacy.call("multiget", 100, "a", "b", "c");
  await legacy.call("peek", 100, "q", 10);
  await legacy.call("track", 100);
  await legacy.call("tag", 100, "get", "x");
  await legacy.call("tag", 100, "top");
  await legacy.call("failed", 100);
  await legacy.call("failed", 100, "group");
  await legacy.call("queues", 100);
  await legacy.call("queues", 100, "q");
  await legacy.call("length", 100, "q");
  await legacy.call("workers", 100);
  await legacy.call("workers", 100, "w");
  await legacy.call("stats", 100, "q", 100);
  await legacy.call("config.get", 100);
  await legacy.call("config.get", 100, "heartbeat");
  await legacy.call("recur.get", 100, "r");
  await legacy.call("jobs", 100, "complete");
  for (const state of ["running", "stalled", "scheduled", "depends", "recurring"]) {
    await legacy.call("jobs", 100, state, "q");
  }
  expect(await legacy.contents()).toEqual(before);
});
