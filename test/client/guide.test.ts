import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, describe, expect, inject, test, vi } from "vitest";
import { freshNamespace } from "../engines.ts";
import { ROOT, read } from "../sources.ts";

/** The examples of the guide: they compile, they run, and they print what the guide says. */

interface Example {
  title: string;
  code: string;
  prints: string | undefined;
}

function examples(): Example[] {
  const found: Example[] = [];
  for (const section of read("docs/guides/client.md").split(/^## /m).slice(1)) {
    const title = section.split("\n", 1)[0]!;
    const blocks = /```ts\n(.*?)```(?:\n+```text\n(.*?)```)?/gs;
    for (const [, code = "", prints] of section.matchAll(blocks)) {
      found.push({ title, code, prints });
    }
  }
  return found;
}

// In the project, so that packages are found from there.
const folder = mkdtempSync(join(ROOT, "test", ".guide-"));
afterAll(() => rmSync(folder, { recursive: true }));

const files = examples().map(({ title, code, prints }, i) => {
  const path = join(folder, `example-${i}.ts`);
  const own = code
    .replaceAll('"qless"', JSON.stringify(join(ROOT, "src/index.ts")))
    .replaceAll('"qless/testing"', JSON.stringify(join(ROOT, "src/testing/index.ts")));
  writeFileSync(path, own);
  return { title: `${title} (${i})`, code: own, prints, path };
});

test("the examples of the guide compile", () => {
  const options: ts.CompilerOptions = {
    ...ts.parseJsonConfigFileContent(
      ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile).config,
      ts.sys,
      ROOT,
    ).options,
    noEmit: true,
    noUnusedLocals: false,
  };
  const program = ts.createProgram(
    files.map(({ path }) => path),
    options,
  );
  const wrong = ts.getPreEmitDiagnostics(program).map((one) => {
    const text = ts.flattenDiagnosticMessageText(one.messageText, " ");
    return `${one.file?.fileName.slice(folder.length)}: ${text}`;
  });
  expect(wrong).toEqual([]);
}, 60_000);

/** Runs an example on a queue of its own. */
async function printed(code: string, url: string): Promise<string> {
  const lines: string[] = [];
  const { formatWithOptions } = await import("node:util");
  const plain = (...words: unknown[]) => formatWithOptions({ colors: false }, ...words);
  const log = vi.spyOn(console, "log").mockImplementation((...words) => {
    lines.push(plain(...words));
  });
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  const path = join(folder, `run-${freshNamespace()}.mjs`);
  writeFileSync(path, outputText.replaceAll("sqlite:./jobs.db", url));
  try {
    await import(path);
  } finally {
    log.mockRestore();
  }
  return lines.map((line) => `${line}\n`).join("");
}

describe.each(files)("the example under $title", ({ code, prints }) => {
  const check = async (url: string) => {
    const given = await printed(code, url);
    if (prints !== undefined) expect(given).toBe(prints);
  };

  test("runs on a file, and prints what the guide says", async () => {
    const home = mkdtempSync(join(tmpdir(), "qless-guide-"));
    try {
      await check(`sqlite:${join(home, "jobs.db")}`);
    } finally {
      rmSync(home, { recursive: true });
    }
  });

  test("runs on Redis, and prints the same", async () => {
    vi.stubEnv("QLESS_NAMESPACE", freshNamespace());
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    await check(inject("redisUrl"));
    warn.mockRestore();
    vi.unstubAllEnvs();
  });
});
