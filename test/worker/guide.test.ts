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

  test("works with the files that the guide shows", async () => {
    const shown = blocksOf(text, "js").map((code) => [/^\/\/ (\S+)/.exec(code)![1]!, code]);
    const folder = folderOf({ ...Object.fromEntries(shown), "package.json": '{"type":"module"}' });
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(ROOT, join(folder, "node_modules/qless"));
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

  test("has the exit codes that there are", () => {
    const rows = tableOf(sectionOf(text, "## Exit codes"), "code");
    expect(rows.map(([code]) => Number(code))).toEqual(Object.values(EXIT));
  });

  test("has the flags that there are", async () => {
    const help = start(["work", "--help"]);
    expect(await help.code()).toBe(0);
    const flags = [...help.stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag);
    const rows = tableOf(sectionOf(text, "## Settings"), "flag");
    const told = rows.map(([flag]) => /`(--[a-z-]+)/.exec(flag!)![1]);
    expect([...told, "--config"].toSorted()).toEqual(flags.toSorted());
  });
});
