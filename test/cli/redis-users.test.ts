import { execFileSync } from "node:child_process";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { REDIS_USERS, ruleFor } from "../../src/cli/redis-users.ts";
import { connect } from "../../src/connect.ts";
import { startCluster } from "../redis/cluster.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { filesIn, read } from "../sources.ts";

/** Redis permits these to every user, since they come before a user is known or end the connection. */
const ALWAYS = ["auth", "hello", "quit", "reset"];

/** Commands that show other namespaces, or destroy more than one. */
const DANGEROUS =
  "flushall flushdb swapdb keys randomkey dbsize function|flush function|delete function|restore " +
  "config|get config|set config|rewrite acl|setuser acl|list acl|save debug shutdown replicaof " +
  "client|kill client|pause client|list script|flush eval evalsha monitor migrate move rename";

let server: RedisServer;
let admin: Redis;

beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
  for (const user of REDIS_USERS) redisCli(ruleFor("ql", user));
});
afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

function redisCli(line: string): void {
  const answer = execFileSync("redis-cli", ["-p", `${server.port}`], { input: `${line}\n` });
  expect(`${answer}`.trim()).toBe("OK");
}

/** Each command and subcommand of the server, with the fewest words it takes. */
async function commandsOfServer(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const [name, arity, , , , , , , , subs] of (await admin.call("COMMAND")) as CommandInfo[]) {
    if (subs.length === 0) found.set(name, wordsFor(name, arity));
    for (const [sub, words] of subs) found.set(sub, wordsFor(sub, words));
  }
  return found;
}

type CommandInfo = [string, number, ...unknown[]] & { 9: [string, number][] };

/** Words that name nothing outside of the namespace, so that only the command can be refused. */
function wordsFor(name: string, arity: number): string[] {
  const words = name.split("|");
  while (words.length < Math.abs(arity)) words.push(name.includes("call") ? "1" : "ql:*");
  return words;
}

async function may(user: string, words: string[]): Promise<boolean> {
  const answer = String(await admin.call("ACL", "DRYRUN", `qless-${user}`, ...words));
  if (answer === "OK") return true;
  expect(answer).toMatch(/has no permissions to run the/);
  return false;
}

describe.each(REDIS_USERS)("the Redis user $name", ({ name, commands }) => {
  test("may run the commands of its rule and no other command of Redis", async () => {
    const all = await commandsOfServer();
    expect(all.size).toBeGreaterThan(300);
    const permitted: string[] = [];
    for (const [command, words] of all) if (await may(name, words)) permitted.push(command);
    expect(permitted.sort()).toEqual([...commands, ...ALWAYS].sort());
  });

  test("may run nothing that destroys or shows other namespaces", async () => {
    for (const command of DANGEROUS.split(" ")) expect(commands).not.toContain(command);
    expect(commands.includes("scan")).toBe(name === "deployer");
  });

  test("reaches keys and channels of its own namespace alone", async () => {
    expect(await dryRun(name, "GET", "ql:x")).toBe("OK");
    expect(await dryRun(name, "GET", "qlx:x")).toMatch(/no permissions to access the 'qlx:x' key/);
    expect(await dryRun(name, "SUBSCRIBE", "ql:log")).toBe("OK");
    expect(await dryRun(name, "SUBSCRIBE", "other:log")).toMatch(/channel/);
    expect(await dryRun(name, "PSUBSCRIBE", "*")).toMatch(/channel/);
  });

  test("loses what an earlier rule allowed when the rule is applied again", async () => {
    await admin.call("ACL", "SETUSER", `qless-${name}`, "+@all", "~*");
    redisCli(ruleFor("ql", REDIS_USERS.find((one) => one.name === name)!));
    expect(await may(name, ["FLUSHALL"])).toBe(false);
    expect(await dryRun(name, "GET", "other")).toMatch(/no permissions/);
  });
});

async function dryRun(user: string, ...words: string[]): Promise<string> {
  return String(await admin.call("ACL", "DRYRUN", `qless-${user}`, ...words));
}

test("the deployer may run every command that the library calls in Redis", () => {
  const source = filesIn("src/redis/lua")
    .map((path) => read(path))
    .join("\n");
  const called = new Set<string>();
  for (const [, name] of source.matchAll(/redis\.p?call\(\s*"(\w+)"/g)) called.add(name!);
  for (const [, name] of source.matchAll(/(?:callAll|range|rangeScored)\("(\w+)"/g))
    called.add(name!);
  expect(called.size).toBeGreaterThan(20);
  const { commands } = REDIS_USERS[0]!;
  const plain = commands.map((command) => command.split("|")[0]);
  expect([...called].filter((name) => !plain.includes(name.toLowerCase()))).toEqual([]);
});

test("a deployer, a worker and a reader can do their work under the rules", async () => {
  const as = (user: string) =>
    connect(server.url.replace("//", `//qless-${user}:secret@`), { onWarning: () => {} });
  const deployer = await as("deployer");
  const worker = await as("worker");
  const reader = await as("reader");
  const heard: string[] = [];
  await reader.events.on({}, ({ event }) => void heard.push(event));
  await worker.put("k", {}, { jid: "a" });
  const [job] = await worker.queue("k").pop();
  await job!.complete();
  expect((await reader.get("a"))?.state).toBe("complete");
  await expect(reader.cancel(["a"])).rejects.toMatchObject({ code: "NOPERM" });
  await expect(worker.engine.call("check", ["0"])).rejects.toMatchObject({ code: "NOPERM" });
  await deployer.engine.call("check", ["0"]);
  await expect.poll(() => heard).toContain("completed");
  for (const client of [deployer, worker, reader]) await client.close();
});

test("the rules are enough in a cluster", async () => {
  const cluster = await startCluster(2);
  onTestFinished(() => cluster.stop());
  const [deploys, works] = REDIS_USERS;
  for (const { url } of cluster.servers) {
    const node = new Redis(url);
    for (const user of [deploys!, works!]) {
      const words = ruleFor("{shop}", user).replaceAll("'", "").split(" ");
      await node.call(words[0]!, ...words.slice(1));
    }
    node.disconnect();
  }
  const as = (user: string) =>
    connect(cluster.servers[0]!.url.replace("//", `//qless-${user}:secret@`), {
      namespace: "shop",
      cluster: {},
      onWarning: () => {},
    });
  const deployer = await as("deployer");
  const worker = await as("worker");
  const ended = worker.waitFor("a", { timeout: "20s" });
  await deployer.put("k", {}, { jid: "a" });
  const [job] = await worker.queue("k").pop();
  await job!.complete();
  expect((await ended).state).toBe("complete");
  for (const client of [deployer, worker]) await client.close();
  for (const { url } of cluster.servers) expect(await refusedAt(url)).toEqual([]);
});

/** The commands that users were refused, but for questions about settings, which only improve warnings. */
async function refusedAt(url: string): Promise<string[]> {
  const node = new Redis(url);
  const log = (await node.call("ACL", "LOG")) as string[][];
  node.disconnect();
  const refused = log.map((entry) => entry[entry.indexOf("object") + 1]!);
  return refused.filter((command) => command !== "config|get");
}
