import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { connect } from "../../src/index.ts";
import { freshNamespace, redisUrl } from "../engines.ts";
import { ROOT } from "../sources.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "qless-connect-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe("connect", () => {
  test("opens a file, and what was put is there the next time", async () => {
    const url = `sqlite:${join(folder, "jobs.db")}`;
    {
      await using client = await connect(url);
      await client.put("k", 1, { jid: "a" });
    }
    await using client = await connect(url);
    expect((await client.get("a"))!.data).toBe(1);
  });

  test("waits for the disk unless it is told not to, and takes no other word for it", async () => {
    const url = `sqlite:${join(folder, "jobs.db")}`;
    const levels = [];
    for (const options of [{}, { synchronous: "normal" as const }]) {
      const client = await connect(url, options);
      const { synchronous } = (await client.parts.calls.engine.facts?.()) ?? {};
      levels.push(synchronous);
      await client.close();
    }
    expect(levels).toEqual(["2", "1"]);
    const off = { synchronous: "off" as never };
    await expect(connect(url, off)).rejects.toThrow('synchronous must be "full" or "normal"');
  });

  test("goes by the environment where nothing is said", async () => {
    vi.stubEnv("QLESS_URL", `sqlite:${join(folder, "env.db")}`);
    vi.stubEnv("QLESS_NAMESPACE", "mine");
    await using client = await connect();
    expect(client.engine.namespace).toBe("mine");
    expect(existsSync(join(folder, "env.db"))).toBe(true);
  });

  test("opens a file in the current folder without any word", () => {
    const code = `const { connect } = await import(${JSON.stringify(join(ROOT, "dist/index.js"))});
      const client = await connect(); await client.put("k", 1); await client.close();`;
    run(code, folder);
    expect(existsSync(join(folder, "qless.db"))).toBe(true);
  });

  test("takes the way to the server from an ioredis instance, and leaves it open", async () => {
    const own = new Redis(redisUrl());
    const options = { namespace: freshNamespace(), onWarning: () => {} };
    {
      await using client = await connect(own, options);
      await client.put("k", 1);
    }
    expect(await own.ping()).toBe("PONG");
    own.disconnect();
  });

  test.each(["http://localhost", "", "jobs.db", "redis//localhost", "sqlite"])(
    "refuses %j with a sentence that says what to use",
    async (url) => {
      const sentence = "This is not the URL of a queue; use sqlite:<file>, redis://<host>";
      await expect(connect(url)).rejects.toThrow(sentence);
      await expect(connect(url)).rejects.toMatchObject({ name: "Invalid" });
    },
  );

  test("tells a logger of dangers, and of calls", async () => {
    const told: string[] = [];
    const level = (name: string) => (_facts: object, sentence: string) =>
      void told.push(`${name} ${sentence}`);
    const logger = {
      debug: level("debug"),
      info: level("info"),
      warn: level("warn"),
      error: level("error"),
    };
    await using client = await connect(redisUrl(), { namespace: freshNamespace(), logger });
    await client.put("k", 1);
    expect(told.some((line) => line.startsWith("warn "))).toBe(true);
    expect(told).toContain("debug qless call");
  });
});

/** What a program prints that Node runs by itself. */
function run(code: string, cwd = folder): string {
  const args = ["--input-type=module", "-e", code];
  return execFileSync(process.execPath, args, { cwd, encoding: "utf8", timeout: 20_000 });
}

const INDEX = JSON.stringify(join(ROOT, "dist/index.js"));
const LOADED = `
  const { createRequire } = await import("node:module");
  const modules = Object.keys(createRequire(${INDEX}).cache).join("\\n");
  const drivers = ["ioredis", "better-sqlite3", "opentelemetry"].filter((name) => modules.includes(name));
  console.log(drivers.join(" ") + "|" + process.getActiveResourcesInfo().filter((one) => /TCP|Timeout|Immediate|Event|Worker/.test(one)).length);`;

describe("a process", () => {
  test("that only imports the package opens nothing and loads no driver, and nothing that traces", () => {
    expect(run(`await import(${INDEX});${LOADED}`).trim()).toBe("|0");
  });

  test("that uses SQLite loads no driver of Redis", () => {
    const code = `const { connect } = await import(${INDEX});
      const client = await connect("sqlite::memory:"); await client.put("k", 1); await client.close();`;
    expect(run(code + LOADED).trim()).toBe("better-sqlite3|0");
  });

  test("ends by itself after close, whatever it did before", () => {
    const code = `const { connect } = await import(${INDEX});
      for (const url of ["sqlite::memory:", ${JSON.stringify(redisUrl())}]) {
        const client = await connect(url, { namespace: "ends", onWarning() {} });
        await client.events.on({}, () => {});
        client.waitFor("nobody").catch(() => {});
        await client.put("k", 1);
        await client.close();
      }
      console.log("closed");`;
    expect(run(code).trim()).toBe("closed");
  });
});
