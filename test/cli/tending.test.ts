import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { Redis } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { completionFor, SHELLS } from "../../src/cli/completion.ts";
import { VERBS } from "../../src/cli/verbs/index.ts";
import { startRedis } from "../redis-server.ts";
import { everySite, folderOf, type Site, start } from "./support.ts";

/** Verbs that look after the place where jobs are kept. */

async function server(...args: string[]) {
  const started = await startRedis({ args });
  onTestFinished(() => started.stop());
  const redis = new Redis(started.url);
  onTestFinished(() => redis.disconnect());
  const qless = async (words: string[], url = started.url) => {
    const run = start(words, { env: { QLESS_URL: url, QLESS_NAMESPACE: "shop" } });
    const code = await run.code();
    return { code, stdout: run.stdout, stderr: run.stderr };
  };
  return { ...started, redis, qless };
}

const SAFE = ["--appendonly", "yes", "--maxmemory", "500mb", "--maxmemory-policy", "noeviction"];

test("doctor finds nothing wrong with a server that is set well", async () => {
  const { qless } = await server(...SAFE);
  const { code, stdout, stderr } = await qless(["doctor", "--json"]);
  const { ok, engine, findings } = JSON.parse(stdout);
  expect(findings.filter(({ state }: { state: string }) => state !== "ok")).toEqual([]);
  expect({ ok, code, stderr }).toEqual({ ok: true, code: 0, stderr: "" });
  expect(engine).toMatch(/^redis:\/\/127/);
});

test("doctor tells what is wrong, and what to do", async () => {
  const { qless } = await server("--maxmemory-policy", "allkeys-lru", "--save", "");
  const { code, stdout } = await qless(["doctor"]);
  expect(code).toBe(4);
  expect(stdout).toMatch(/eviction +bad +allkeys-lru: .* set maxmemory-policy to noeviction\n/);
  expect(stdout).toMatch(/persistence +bad +none: .* set appendonly to yes\n/);
  expect(stdout).toMatch(/memory +warning /);
});

test("doctor says that nobody answers", async () => {
  const run = start(["doctor", "--url", "redis://127.0.0.1:1"]);
  expect(await run.code()).toBe(1);
  expect(run.stderr).toMatch(/^qless: No connection to Redis at 127\.0\.0\.1:1 [^\n]*\n$/);
});

test("doctor looks at a file", async () => {
  const cwd = folderOf();
  expect(await start(["put", "q", "k", "--url", "sqlite:./q.db"], { cwd }).code()).toBe(0);
  const run = start(["doctor", "--url", "sqlite:./q.db"], { cwd });
  expect([await run.code(), run.stderr]).toEqual([0, ""]);
  expect(run.stdout).toMatch(/persistence +ok +on disk before a call is answered\n/);
});

test("the rules of install are enough, and not more", async () => {
  const { redis, qless, port } = await server(...SAFE);
  const { stdout } = await qless(["install", "--json"]);
  const { acl, library, mode } = JSON.parse(stdout);
  expect(mode).toBe("functions");
  expect(library).toMatch(/^\d+\.\d+\.\d+/);
  expect(Object.keys(acl)).toEqual(["deployer", "worker", "reader"]);
  for (const rule of Object.values(acl) as string[]) {
    await redis.call("ACL", ...rule.replaceAll("'", "").split(" ").slice(1));
  }
  const as = (user: string) => `redis://qless-${user}:secret@127.0.0.1:${port}`;
  const deployed = await qless(["install"], as("deployer"));
  expect([deployed.code, deployed.stderr]).toEqual([0, ""]);
  const put = await qless(["put", "q", "k", "--jid", "a"], as("worker"));
  expect([put.code, put.stdout, put.stderr]).toEqual([0, "a\n", ""]);
  const got = await qless(["get", "a", "--json"], as("reader"));
  expect([got.code, JSON.parse(got.stdout).jid]).toEqual([0, "a"]);
  const refused = await qless(["cancel", "a", "--yes"], as("reader"));
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^qless: [^\n]+\n$/);
  const elsewhere = await qless(["put", "q", "k", "--namespace", "other"], as("worker"));
  expect(elsewhere.code).toBe(1);
  expect((await redis.keys("other*")).length).toBe(0);
});

test("the printed rules can be pasted into a shell and into redis-cli", async () => {
  const { redis, qless, port } = await server(...SAFE);
  const { stdout } = await qless(["install", "--acl"]);
  const folder = folderOf();
  writeFileSync(join(folder, "redis-cli"), `#!/bin/sh\nexec ${redisCliPath()} -p ${port}\n`, {
    mode: 0o755,
  });
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  expect(execFileSync("sh", [], { input: stdout, env, encoding: "utf8" })).toBe("OK\nOK\nOK\n");
  expect(await redis.acl("USERS")).toEqual([
    "default",
    "qless-deployer",
    "qless-reader",
    "qless-worker",
  ]);
  const rules = stdout.split("\n").filter((line) => line.startsWith("ACL SETUSER"));
  expect(rules).toHaveLength(3);
  for (const rule of rules) {
    const pasted = execFileSync("redis-cli", ["-p", `${port}`], { input: `${rule}\n` });
    expect(String(pasted)).toMatch(/^OK\n/);
  }
});

const redisCliPath = () =>
  execFileSync("sh", ["-c", "command -v redis-cli"], { encoding: "utf8" }).trim();

test("rules for a file are refused, and the file is not made for them", async () => {
  const cwd = folderOf();
  const run = start(["install", "--acl"], { cwd });
  expect(await run.code()).toBe(2);
  expect(run.stderr).toMatch(/^qless: An SQLite file has no users and needs no rules\. [^\n]+\n$/);
  expect(readdirSync(cwd)).toEqual([]);
});

everySite("check", (open) => {
  /** Takes a job's record away, behind the back of all. */
  async function damage({ folder, flags, client }: Site, jid: string): Promise<void> {
    const key = `${client.engine.namespace}:j:${jid}`;
    if (flags[1]!.startsWith("sqlite:")) {
      const db = new Database(join(folder, "jobs.db"));
      db.prepare("DELETE FROM records WHERE key = ?").run(key);
      db.close();
      return;
    }
    const redis = new Redis(flags[1]!);
    await redis.del(key);
    redis.disconnect();
  }

  test("finds what disagrees, and mends it when it is asked to", async () => {
    const site = await open();
    await site.client.queue("q").put("k", {}, { jid: "a", tags: ["t"] });
    await damage(site, "a");
    const found = await site.qless(["check"]);
    expect([found.code, found.stderr]).toEqual([4, ""]);
    expect(found.stdout).toMatch(/^ABOUT +PROBLEM\n[\s\S]*\n\d+ disagreements?; \d+ entries/);
    const mended = await site.qless(["check", "--repair", "--yes", "--json"]);
    expect(mended.code).toBe(0);
    const { found: count, problems } = JSON.parse(mended.stdout);
    expect(count).toBe(problems.length);
    expect(count).toBeGreaterThan(0);
    expect(await site.qless(["check"])).toMatchObject({ code: 0, stderr: "" });
  });
});

everySite("bench", (open) => {
  test("leaves no jobs behind", async () => {
    const { client, flags } = await open();
    await client.queues();
    const run = start(["bench", "--jobs", "300", ...flags.slice(0, 2)]);
    expect([await run.code(), run.stderr]).toEqual([0, ""]);
    const [, url] = flags as [string, string];
    const left = start(["search", "--all", "--jids", "--url", url, "--namespace", "qless-bench"]);
    expect([await left.code(), left.stdout]).toEqual([0, ""]);
    const queues = start(["queues", "--json", "--url", url, "--namespace", "qless-bench"]);
    await queues.code();
    expect(queues.stdout).toBe("[]\n");
  });
});

test.each(SHELLS)("the completion of %s has every verb and flag", (shell) => {
  const script = completionFor(shell, VERBS);
  for (const { name, words = [], flags = [] } of VERBS) {
    for (const { choices = [] } of words) expect(script).toContain(choices.join(" "));
    for (const word of name.split(" ")) expect(script).toContain(word);
    for (const { flag } of flags) expect(script).toContain(flag.split(" ")[0]!.slice(2));
  }
});

test.for(SHELLS)("%s can read its completion", (shell, { skip }) => {
  if (spawnSync(shell, ["-c", "true"]).error !== undefined) skip(`There is no ${shell} here`);
  const file = join(folderOf(), "completion");
  writeFileSync(file, completionFor(shell, VERBS));
  execFileSync(shell, ["-n", file]);
});

test("bash completes verbs, members of families, flags and their choices", () => {
  const file = join(folderOf(), "completion");
  writeFileSync(file, completionFor("bash", VERBS));
  const completed = (...words: string[]) => {
    const list = words.map((word) => JSON.stringify(word)).join(" ");
    const line = `COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _qless; echo "\${COMPREPLY[*]}"`;
    return execFileSync("bash", ["-c", `source ${file}; ${line}`], { encoding: "utf8" }).trim();
  };
  expect(completed("qless", "unp")).toBe("unpause");
  expect(completed("qless", "recur", "p")).toBe("put pause");
  expect(completed("qless", "recur", "put", "--ev")).toBe("--every");
  expect(completed("qless", "search", "--state", "s")).toBe("stalled scheduled");
  expect(completed("qless", "jobs", "s")).toBe("stalled scheduled");
  expect(completed("qless", "jobs", "waiting", "")).toBe("");
  expect(completed("qless", "completion", "")).toBe("bash zsh fish");
  expect(completed("qless", "help", "unp")).toBe("unpause");
  expect(completed("qless", "help", "recur", "p")).toBe("put pause");
});
