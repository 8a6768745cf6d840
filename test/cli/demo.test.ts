import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { connect as connectTo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { open } from "../../src/cli/demonstration/opening.ts";
import { paceFrom } from "../../src/cli/demonstration/pace.ts";
import type { ShopJobs } from "../../src/cli/demonstration/shop.ts";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/connect.ts";
import { freePort, startRedis } from "../redis-server.ts";
import { folderOf, type Started, start } from "./support.ts";

/** Tests have no time to look at a shop: they see it hurry. */
const env = { QLESS_DEMO_PACE: "12" };
const SOON = { timeout: 20_000, interval: 100 };
const NAMESPACE = "qless-demo";

const demo = (cwd: string, ...words: string[]) => start(["demo", ...words], { cwd, env });
const uiOf = (shop: Started) => /Open +(\S+)/.exec(shop.stdout)?.[1];

/** The address of the web interface, once it is told. */
async function opened(shop: Started): Promise<string> {
  await expect.poll(() => uiOf(shop) ?? shop.stderr, SOON).toMatch(/^http/);
  return uiOf(shop)!;
}

async function look(url: string): Promise<Client> {
  const client = await connect(url, { namespace: NAMESPACE, onWarning: () => {} });
  onTestFinished(() => client.close());
  return client;
}

async function pidsOf(client: Client): Promise<number[]> {
  const workers = await client.workers.list();
  return workers.flatMap(({ present }) => present?.facts.pid ?? []);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Who has had the job, in order, with what was said between. */
async function livesOf(client: Client, klass: string): Promise<string[]> {
  const lives: string[] = [];
  for await (const { history } of client.search({ klass })) {
    const words = history.map(({ what, details }) => `${what} ${String(details.worker ?? "")}`);
    lives.push(words.join("; "));
  }
  return lives;
}

const GROUPS = ["address-unknown", "book.print:PaperJam", "card-declined", "order:GatewayTimeout"];

/** Waits until there is something on every page. */
async function expectLife(client: Client, ui: string): Promise<void> {
  const page = await fetch(ui);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("<title>qless</title>");
  const api = async (path: string): Promise<Record<string, unknown>> => {
    const answer = await fetch(new URL(`../api/v1/${path}`, ui));
    return (await answer.json()) as Record<string, unknown>;
  };
  await expect.poll(() => api("workers"), SOON).toHaveProperty("workers.3");
  const paused = { name: "newsletter", paused: true, waiting: 8 };
  expect((await api("queues")).queues).toContainEqual(expect.objectContaining(paused));
  const states = async () => {
    const queues = await client.queues();
    const has = (state: "scheduled" | "depends") => queues.some((queue) => queue[state] > 0);
    return has("scheduled") && has("depends");
  };
  await expect.poll(states, SOON).toBe(true);
  await expect.poll(async () => (await client.tracked()).jobs.length, SOON).toBeGreaterThan(0);
  await expect.poll(() => client.topTags(), SOON).toContain("express");
  const groups = async () => [...(await client.failures.groups()).keys()].toSorted();
  await expect.poll(groups, SOON).toEqual(GROUPS);
  const schedules = (await client.schedules.list()).map(({ jid }) => jid);
  expect(schedules.toSorted()).toEqual(["night-audit", "sales", "visitors"]);
  expect(await client.recurring.get("support")).toMatchObject({ queue: "shop" });
}

/** Waits until a press has taken over a book from one that was killed, and brought it to its end. */
async function expectTakeover(client: Client): Promise<void> {
  const taken = /popped (press-\d+);.* timed-out .*popped (?!\1;)press-\d+;.*page \d+ of.*done/;
  await expect
    .poll(async () => (await livesOf(client, "book.print")).some((life) => taken.test(life)), SOON)
    .toBe(true);
}

async function expectStopped(shop: Started, signal: NodeJS.Signals, pids: number[]) {
  const begun = performance.now();
  shop.signal(signal);
  expect(await shop.code()).toBe(0);
  expect(performance.now() - begun).toBeLessThan(8000);
  expect(shop.stdout).toMatch(/\nStopping; once more ends it at once\.\nStopped\.\n$/);
  expect(shop.stderr).toBe("");
  expect(pids.filter(isAlive)).toEqual([]);
}

/** Begins a request that does not end, which a stop has to wait for. */
async function keepBusy(ui: string): Promise<void> {
  const { hostname, port } = new URL(ui);
  const socket = connectTo(Number(port), hostname).on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  const head = ["POST /api/v1/jobs/get HTTP/1.1", `Host: ${hostname}`, "Content-Length: 9"];
  const lines = [...head, "Content-Type: application/json", "Expect: 100-continue", "", ""];
  socket.write(lines.join("\r\n"));
  // The server asks for the rest: it has begun.
  await once(socket, "data");
}

describe.each(["sqlite", "redis"] as const)("qless demo (%s)", (kind) => {
  test("lives, stops when told, and goes on where it was", async () => {
    const folder = folderOf();
    const server = kind === "redis" ? await startRedis() : undefined;
    onTestFinished(() => server?.stop());
    const place = server === undefined ? ["--data", "shop"] : ["--redis", server.url];
    const shop = demo(folder, "--port", "0", ...place);
    const ui = await opened(shop);
    expect(shop.stdout.includes("Made the folder shop.\n")).toBe(kind === "sqlite");
    const client = await look(server?.url ?? `sqlite:${join(folder, "shop/demo.db")}`);
    await expectLife(client, ui);
    await expectTakeover(client);
    expect(shop.stdout).toMatch(/ {2}press-\d+ was killed at work: http\S+#\/jobs\/book-/);
    await expectStopped(shop, "SIGINT", await pidsOf(client));
    expect((await client.queues()).reduce((sum, { running }) => sum + running, 0)).toBe(0);

    const runs = async () => (await client.schedules.get("visitors"))!.runs;
    const [before, visits] = [(await client.get("order-1001"))!, await runs()];
    const again = demo(folder, "--port", "0", ...place);
    await opened(again);
    expect(again.stdout).toMatch(/^The shop goes on where it was\.\n/);
    await expect.poll(runs, SOON).toBeGreaterThan(visits);
    expect((await client.get("order-1001"))!.history.slice(0, 2)).toEqual(
      before.history.slice(0, 2),
    );
    expect((await client.queue("newsletter").counts()).waiting).toBe(8);
    await expectStopped(again, "SIGTERM", await pidsOf(client));
    expect(await client.maintenance.check()).toEqual([]);
  }, 60_000);
});

describe("qless demo", () => {
  test("helps the one that is there, at another port, and outlives it", async () => {
    const folder = folderOf();
    const port = String(await freePort());
    const first = demo(folder, "--port", port);
    expect(new URL(await opened(first)).port).toBe(port);
    const client = await look(`sqlite:${join(folder, "data/demo.db")}`);
    await expect.poll(() => pidsOf(client), SOON).toHaveLength(4);
    const theirs = await pidsOf(client);
    const second = demo(folder, "--port", port);
    const ui = await opened(second);
    expect(second.stdout).toContain(`Port ${port} is taken; this is ${new URL(ui).port}.\n`);
    expect(second.stdout).toContain("Another demonstration works on the same jobs");
    await expect.poll(async () => (await pidsOf(client)).length, SOON).toBeGreaterThan(7);
    expect(await client.schedules.list()).toHaveLength(3);

    first.signal("SIGKILL");
    await expect.poll(() => theirs.filter(isAlive), SOON).toEqual([]);
    const visits = (await client.schedules.get("visitors"))!.runs;
    const runs = async () => (await client.schedules.get("visitors"))!.runs;
    await expect.poll(runs, SOON).toBeGreaterThan(visits);

    const ours = (await pidsOf(client)).filter((pid) => !theirs.includes(pid));
    await keepBusy(ui);
    second.signal("SIGINT");
    await expect.poll(() => second.stdout, SOON).toContain("Stopping");
    expect(await second.insist("SIGINT")).toBe(130);
    expect(second.stderr).toBe("");
    await expect.poll(() => ours.filter(isAlive), SOON).toEqual([]);
  }, 60_000);

  test("goes on soon although whoever was at the counter was killed there", async () => {
    const folder = folderOf({ "data/.keep": "" });
    const client = await look(`sqlite:${join(folder, "data/demo.db")}`);
    await open(client as Client<ShopJobs>, paceFrom(env));
    // Support comes to the same counter by itself, and may come before them.
    const atCounter = async () => {
      await client.schedules.fireDue();
      return (await client.queue("shop").pop({ count: 5 })).map(({ klass }) => klass);
    };
    await expect.poll(atCounter, SOON).toContain("shop.visitors");
    await opened(demo(folder, "--port", "0"));
    const runs = async () => (await client.schedules.get("visitors"))!.runs;
    await expect.poll(runs, SOON).toBeGreaterThan(1);
  }, 60_000);

  const WRONG: [words: string[], says: string][] = [
    [["--port", "http"], '--port must be a whole number, not "http"'],
    [["--port", "99999"], "The port must be a whole number from 0 to 65535"],
    [["--redis", "localhost"], "--redis must be a URL such as redis://localhost"],
    [
      ["--redis", "redis://a", "--data", "b"],
      "Say --redis or --data, not both: jobs are in one place",
    ],
    [
      ["--data", "notes"],
      "The folder notes cannot be used: it is a file, not a folder; name another with --data",
    ],
    [["--data", ""], "--data says nothing: leave it out, or give it a value"],
    [["--stranger"], "unknown option '--stranger'"],
    [["redis://a"], "too many arguments for 'demo'. Expected 0 arguments but got 1."],
  ];

  test.each(WRONG)("refuses %j in a sentence, and makes nothing", async (words, says) => {
    const cwd = folderOf({ notes: "" });
    const refused = demo(cwd, ...words);
    expect(await refused.code()).toBe(2);
    expect(refused.stderr).toBe(`qless: ${says}\n`);
    expect(refused.stdout).toBe("");
  });

  test.runIf(existsSync("/proc/self"))("ends where no folder can be made", async () => {
    const refused = demo(folderOf(), "--data", "/proc/x/y");
    expect(await refused.code()).toBe(2);
    expect(refused.stderr).toBe(
      "qless: The folder /proc/x/y cannot be used: no folder can be made there; name another with " +
        "--data\n",
    );
  });

  test("leaves jobs of others alone", async () => {
    const folder = folderOf();
    const client = await look(`sqlite:${join(folder, "demo.db")}`);
    await client.queue("q").put("k", {});
    const refused = demo(folder, "--data", ".");
    expect(await refused.code()).toBe(2);
    expect(refused.stderr).toBe(
      "qless: There are other jobs in the namespace qless-demo: give the demonstration a place of " +
        "its own with --data or --redis\n",
    );
    expect(await client.queues()).toHaveLength(1);
  });

  test("says when a file is no database", async () => {
    const folder = folderOf();
    writeFileSync(join(folder, "demo.db"), "notes".repeat(1000));
    const refused = demo(folder, "--data", ".");
    expect(await refused.code()).toBe(1);
    expect(refused.stderr).toMatch(/^qless: [^\n]+\n$/);
  });

  test("takes any port that is free where the next twenty are taken", async () => {
    const port = 65_535;
    const taken = createServer().listen(port, "127.0.0.1");
    await Promise.race([once(taken, "listening"), once(taken, "error")]);
    onTestFinished(() => void taken.close());
    const shop = demo(folderOf(), "--port", String(port));
    await opened(shop);
    expect(shop.stdout).toContain(`Port ${port} is taken; this is `);
  });
});
