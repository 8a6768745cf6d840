import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { connect } from "../../src/connect.ts";
import { folderOf, start } from "../cli/support.ts";
import { Guide } from "../guides.ts";
import { blocksOf, sectionOf, tableOf } from "../sections.ts";
import { ROOT, read } from "../sources.ts";

const PATH = "docs/guides/workers.md";
const guide = new Guide(PATH);
guide.declare();

describe("the command line in the guide", () => {
  const text = read(PATH);

  /** The files that the guide shows, in a project of their own. */
  function shownFiles(): string {
    const shown = blocksOf(text, "js").map((code) => [/^\/\/ (\S+)/.exec(code)![1]!, code]);
    const folder = folderOf({ ...Object.fromEntries(shown), "package.json": '{"type":"module"}' });
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/qless"));
    return folder;
  }

  test("works with the files that the guide shows", async () => {
    const folder = shownFiles();
    const client = await connect(`sqlite:${join(folder, "jobs.db")}`);
    onTestFinished(() => client.close());
    const { jid } = await client.queue("emails").put("email.send", { to: "ada@example.com" });
    const worker = start(["work"], { cwd: folder });
    expect((await client.waitFor(jid, { timeout: "20s" })).job?.data).toEqual({ sent: true });
    worker.signal("SIGTERM");
    expect(await worker.code()).toBe(0);
    expect(worker.said("Working")).toMatchObject({ klasses: ["email.send"], concurrency: 5 });
    expect(worker.said("Sending")).toMatchObject({ to: "ada@example.com" });
  });

  test("works with children as the guide shows", async () => {
    const folder = shownFiles();
    const program = spawn(process.execPath, ["images.js"], { cwd: folder });
    const prints: Buffer[] = [];
    program.stdout.on("data", (chunk: Buffer) => prints.push(chunk));
    expect(await once(program, "close")).toEqual([0, null]);
    const [shown] = blocksOf(sectionOf(text, "## Processes and threads"), "text");
    expect(Buffer.concat(prints).toString()).toBe(`${shown!.trim()}\n`);
  });

  test("has the exit codes of a worker", () => {
    const rows = tableOf(sectionOf(text, "## Exit codes"), "code");
    const { CLEAN, FAILED, USAGE, SIGINT, SIGTERM } = EXIT;
    expect(rows.map(([code]) => Number(code))).toEqual([CLEAN, FAILED, USAGE, SIGINT, SIGTERM]);
  });

  test("has the flags that there are", async () => {
    const help = start(["work", "--help"]);
    expect(await help.code()).toBe(0);
    const flags = [...help.stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag);
    const rows = tableOf(sectionOf(text, "## Settings"), "flag");
    const told = rows.flatMap(([flag]) => flag!.match(/--[a-z-]+/g)!);
    expect([...told, "--config"].toSorted()).toEqual(flags.toSorted());
  });
});
