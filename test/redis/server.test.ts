import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { describe, expect, onTestFinished, test } from "vitest";
import { startRedis } from "../redis-server.ts";
import { openRedis, poll } from "./support.ts";

describe("a private server", () => {
  test("answers once it is started, and is gone with its files once it is stopped", async () => {
    const server = await startRedis();
    expect(await openRedis(server.url).info("server")).toContain(`process_id:${server.pid}`);
    await server.stop();
    expect(isGone(server)).toBe(true);
    await server.stop();
  });

  test("goes with the process that started it, however that ends", async () => {
    const child = spawn(process.execPath, [starter()], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(child.stdout, "data");
    const server = JSON.parse(String(line)) as { pid: number; dir: string };
    expect(isGone(server)).toBe(false);
    child.kill("SIGKILL");
    await poll(async () => isGone(server));
  });

  test("comes back on the port of one that was stopped", async () => {
    const first = await startRedis();
    await first.stop();
    const second = await startRedis({ port: first.port });
    onTestFinished(() => second.stop());
    expect(second.port).toBe(first.port);
  });

  test("that cannot start says why", async () => {
    await expect(startRedis({ args: ["--no-such-option", "1"] })).rejects.toThrow("no-such-option");
  });

  test("that is not installed says what to install", async () => {
    const path = process.env.PATH;
    process.env.PATH = "/nowhere";
    onTestFinished(() => {
      process.env.PATH = path;
    });
    await expect(startRedis()).rejects.toThrow("apt-get install redis-server");
  });
});

/** A program that starts a server, says which, and waits; in JavaScript, for plain Node. */
function starter(): string {
  const dir = mkdtempSync(join(tmpdir(), "qless-starter-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const source = readFileSync(new URL("../redis-server.ts", import.meta.url), "utf8");
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
  const { outputText } = transpileModule(source, { compilerOptions });
  const say = "startRedis().then((server) => console.log(JSON.stringify(server)));";
  const file = join(dir, "starter.mjs");
  writeFileSync(file, `${outputText}\n${say}\n`);
  return file;
}

function isGone({ pid, dir }: { pid: number; dir: string }): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return !existsSync(dir);
  }
}
