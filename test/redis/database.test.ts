import { Cluster } from "ioredis";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startRedis } from "../redis-server.ts";
import { startCluster } from "./cluster.ts";
import { always, startProxy } from "./proxy.ts";
import { startWatched } from "./sentinel.ts";
import { openEngine, openRedis, poll, rejection } from "./support.ts";

/** A database that the server does not have is an error: its jobs must not go to database 0. */

const REFUSED = "Redis cannot use database 99";

let url: string;
beforeAll(async () => {
  const server = await startRedis();
  ({ url } = server);
  return () => server.stop();
});

/** How many keys each database has, as `db0:keys=3`. */
const keyspace = async () => String(await openRedis(url).info("keyspace"));

describe("the database of a URL", () => {
  test("is the one that is used", async () => {
    const engine = await openEngine(`${url}/3`);
    expect(await engine.call("put", [])).toBe(1);
    await openRedis(url).call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    expect(await engine.call("put", [], { request: "r" })).toBe(2);
    expect(await keyspace()).toMatch(/db3:keys=/);
    expect(await keyspace()).not.toMatch(/db0:/);
  });

  test("that does not exist is an error at once, and nothing is written elsewhere", async () => {
    const begun = performance.now();
    const error = await rejection(openEngine(`${url}/99`));
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(error).toMatchObject({ name: "Unreachable", code: "NO_DATABASE", uncertain: false });
    expect(error.message).toContain(REFUSED);
    expect(error.message).toContain("ERR DB index is out of range");
    expect(await keyspace()).not.toMatch(/db0:/);
  });

  test("of an ioredis instance is checked as well", async () => {
    const own = openRedis(`${url}/99`);
    expect(await rejection(openEngine(own))).toMatchObject({ code: "NO_DATABASE" });
  });

  test("that the user may not select is an error that names it", async () => {
    await openRedis(url).call(
      "ACL",
      "SETUSER",
      "bound",
      "on",
      ">pw",
      "~*",
      "&*",
      "+@all",
      "-select",
    );
    const error = await rejection(openEngine(`${url.replace("//", "//bound:pw@")}/3`));
    expect(error).toMatchObject({ code: "NOPERM" });
    expect(error.message).toContain("database 3");
  });

  test("that is refused after a reconnection fails calls until it is back", async () => {
    const proxy = await startProxy(Number(new URL(url).port));
    const engine = await openEngine(`${proxy.url}/5`);
    expect(await engine.call("put", [])).toBe(1);
    proxy.rule = always("SELECT", { error: "ERR DB index is out of range" });
    proxy.cutAll();
    const error = await rejection(engine.call("put", [], { request: "lost" }));
    expect(error).toMatchObject({ code: "NO_DATABASE" });
    proxy.rule = () => "pass";
    await poll(() =>
      engine.call("get", []).then(
        () => true,
        () => false,
      ),
    );
    expect(await engine.call("put", [])).toBe(2);
    expect(await keyspace()).not.toMatch(/db0:/);
  });

  test("is checked behind Sentinel, too", async () => {
    const { sentinels } = await startWatched();
    const error = await rejection(openEngine("redis://unused/99", { sentinels }));
    expect(error).toMatchObject({ code: "NO_DATABASE" });
  }, 30_000);

  test("does not keep events from being heard", async () => {
    const engine = await openEngine(`${url}/4`);
    const heard: string[] = [];
    await engine.subscribe(({ message }) => heard.push(message));
    await engine.call("put", ["hello"]);
    await poll(async () => heard.includes("hello"));
  });
});

test("a cluster has database 0 alone", async () => {
  const cluster = await startCluster(1);
  onTestFinished(() => cluster.stop());
  const node = cluster.servers[0]!;
  expect(await rejection(openEngine(`${node.url}/3`))).toMatchObject({ code: "NO_DATABASE" });
  const sentence = { code: "BAD_ARGUMENT", message: expect.stringContaining("database 3") };
  expect(await rejection(openEngine(`${node.url}/3`, { cluster: {} }))).toMatchObject(sentence);
  const own = new Cluster([{ host: "127.0.0.1", port: node.port }], { redisOptions: { db: 3 } });
  onTestFinished(() => own.disconnect());
  expect(await rejection(openEngine(own))).toMatchObject(sentence);
});
