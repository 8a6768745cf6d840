import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatWithOptions } from "node:util";
import ts from "typescript";
import { afterAll, describe, expect, inject, test, vi } from "vitest";
import { freshNamespace } from "./engines.ts";
import { ROOT, read } from "./sources.ts";

/** The examples of a guide: they compile, they run, and they print what the guide says. */

export interface Example {
  /** The section that it is in, and its number in the guide. */
  title: string;
  code: string;
  prints: string | undefined;
  path: string;
}

/** What stands in an example, and what is put in its place to run it. */
export type Places = Record<string, string>;

/** What examples call the file of their queue. */
const FILE = "sqlite:./jobs.db";

export class Guide {
  readonly examples: readonly Example[];
  readonly #folder: string;

  /** Takes a guide by its path from the root; what it makes for it goes after the tests. */
  constructor(path: string) {
    // In the project, so that packages are found from there.
    this.#folder = mkdtempSync(join(ROOT, "test", ".guide-"));
    afterAll(() => rmSync(this.#folder, { recursive: true }));
    this.examples = blocksOf(read(path)).map((block, i) => this.#written(block, i));
  }

  #written({ title, code, prints }: Block, i: number): Example {
    const path = join(this.#folder, `example-${i}.ts`);
    const own = code
      .replaceAll('"qless/http"', JSON.stringify(join(ROOT, "src/http/index.ts")))
      .replaceAll('"qless"', JSON.stringify(join(ROOT, "src/index.ts")))
      .replaceAll('"qless/testing"', JSON.stringify(join(ROOT, "src/testing/index.ts")));
    writeFileSync(path, own);
    return { title: `${title} (${i})`, code: own, prints, path };
  }

  /** What the compiler has to say against the examples. */
  mistakes(): string[] {
    return mistakesIn(this.examples);
  }

  /** Runs an example with other places than it names, and gives what it prints. */
  async printed(code: string, places: Places): Promise<string> {
    const lines: string[] = [];
    const log = vi.spyOn(console, "log").mockImplementation((...words) => {
      lines.push(formatWithOptions({ colors: false }, ...words));
    });
    const { outputText } = ts.transpileModule(code, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    const path = join(this.#folder, `run-${freshNamespace()}.mjs`);
    writeFileSync(path, Object.entries(places).reduce(replaced, outputText));
    try {
      await import(path);
    } finally {
      log.mockRestore();
    }
    return lines.map((line) => `${line}\n`).join("");
  }

  /** Runs it in a namespace of its own. */
  async printedOnRedis(code: string, places: Places): Promise<string> {
    vi.stubEnv("QLESS_NAMESPACE", freshNamespace());
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    try {
      return await this.printed(code, places);
    } finally {
      warn.mockRestore();
      vi.unstubAllEnvs();
    }
  }

  /** Declares that all examples compile, and that these run on both engines. */
  declare(run: readonly Example[] = this.examples): void {
    test("the examples of the guide compile", () => {
      expect(this.mistakes()).toEqual([]);
    }, 180_000);
    this.declareRuns(run);
  }

  /** Declares that these run on both engines. */
  declareRuns(run: readonly Example[] = this.examples): void {
    describe.each(run)("the example under $title", ({ code, prints }) => {
      test("runs on a file, and prints what the guide says", async () => {
        const home = mkdtempSync(join(tmpdir(), "qless-guide-"));
        try {
          const given = await this.printed(code, { [FILE]: `sqlite:${join(home, "jobs.db")}` });
          if (prints !== undefined) expect(given).toBe(prints);
        } finally {
          rmSync(home, { recursive: true });
        }
      });

      test("runs on Redis, and prints the same", async () => {
        const given = await this.printedOnRedis(code, { [FILE]: inject("redisUrl") });
        if (prints !== undefined) expect(given).toBe(prints);
      });
    });
  }
}

/** What the compiler has to say against examples, all at once since it is slow to begin. */
export function mistakesIn(examples: readonly Example[]): string[] {
  const config = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const paths = examples.map(({ path }) => path);
  const program = ts.createProgram(paths, { ...options, noEmit: true, noUnusedLocals: false });
  // Only of the examples: the sources that they use are compiled by the build.
  return examples.flatMap(({ path, title }) => {
    const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(path));
    return found.map((one) => `${title}: ${ts.flattenDiagnosticMessageText(one.messageText, " ")}`);
  });
}

type Block = Pick<Example, "title" | "code" | "prints">;

function blocksOf(guide: string): Block[] {
  const found: Block[] = [];
  for (const section of guide.split(/^##+ /m)) {
    const title = section.split("\n", 1)[0]!;
    const blocks = /^```ts\n(.*?)^```(?:\n+```text\n(.*?)^```)?/gms;
    for (const [, code = "", prints] of section.matchAll(blocks)) {
      found.push({ title, code, prints });
    }
  }
  return found;
}

function replaced(text: string, [place, by]: [string, string]): string {
  return text.replaceAll(place, by);
}
