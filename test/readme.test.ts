import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatWithOptions } from "node:util";
import { afterEach, expect, inject, onTestFinished, test, vi } from "vitest";
import { VERBS } from "../src/cli/verbs/index.ts";
import { connect } from "../src/connect.ts";
import { commands } from "../src/core/commands/index.ts";
import { folderOf, start } from "./cli/support.ts";
import { freshNamespace } from "./engines.ts";
import { blocksOf, sectionOf, tableOf } from "./sections.ts";
import { ROOT, read } from "./sources.ts";

const readme = read("README.md");
const [example = "", handler = ""] = blocksOf(readme, "js");
const [prints = ""] = blocksOf(readme, "text");

const FILE = "sqlite:jobs.db";

/** Runs the example on the sources, with the queue in a folder of its own or at a URL. */
async function printed(code: string, url?: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "qless-readme-"));
  const lines: string[] = [];
  const log = vi
    .spyOn(console, "log")
    .mockImplementation((...words) => lines.push(formatWithOptions({ colors: false }, ...words)));
  try {
    const file = join(folder, "first.mjs");
    const source = JSON.stringify(join(ROOT, "src/index.ts"));
    const target = url ?? `sqlite:${join(folder, "jobs.db")}`;
    writeFileSync(file, code.replace('"qless"', source).replace(FILE, target));
    await import(file);
  } finally {
    log.mockRestore();
    rmSync(folder, { recursive: true });
  }
  return `${lines.join("\n")}\n`;
}

afterEach(() => void vi.unstubAllEnvs());

test("the example of the README runs on a file, and prints what it says", async () => {
  expect(example).toContain(`connect("${FILE}")`);
  expect(await printed(example)).toBe(prints);
});

test("the example of the README runs on Redis, and prints the same", async () => {
  vi.stubEnv("QLESS_NAMESPACE", freshNamespace());
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  expect(await printed(example, inject("redisUrl"))).toBe(prints);
  warn.mockRestore();
});

test("the README's worker works", async () => {
  const words = /^npx qless (work .*)$/m.exec(readme)![1]!.split(" ");
  const cwd = folderOf({ "jobs/welcome.js": handler, "package.json": '{"type":"module"}' });
  const client = await connect(`sqlite:${join(cwd, "jobs.db")}`);
  onTestFinished(() => client.close());
  const { jid } = await client.queue("emails").put("welcome", { to: "ada" });
  const worker = start(words, { cwd });
  expect((await client.waitFor(jid, { timeout: "20s" })).job?.data).toEqual({ sent: "ada" });
  worker.signal("SIGTERM");
  expect(await worker.code()).toBe(0);
});

test("the README counts the commands and the verbs", () => {
  expect(readme).toContain(`the core: ${Object.keys(commands).length} commands`);
  expect(readme).toContain(`${VERBS.length} verbs`);
});

test("the README compares with each other system in every row", () => {
  const rows = tableOf(sectionOf(readme, "## How it compares"), "");
  expect(rows.length).toBeGreaterThanOrEqual(30);
  expect(rows.filter((cells) => cells.length !== 9 || cells.includes(""))).toEqual([]);
});

test("the README's commands are those of the package", () => {
  const { scripts, engines, license } = JSON.parse(read("package.json"));
  for (const name of ["start", "test", "build"]) expect(scripts).toHaveProperty(name);
  expect(readme).toContain(`Node ${engines.node.replace(">=", "")} or later`);
  expect(read("LICENSE")).toMatch(new RegExp(`^${license} License`));
});
