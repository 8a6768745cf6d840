import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { flagsOf } from "../src/cli/verb.ts";
import { VERBS } from "../src/cli/verbs/index.ts";
import { EmbeddedEngine } from "../src/embedded/engine.ts";
import type { CommandName } from "../src/engine.ts";
import { type Block, blocksOf, DOCUMENTS, fileOf, MARKS, placeOf } from "./blocks.ts";
import { Guide, mistakesIn } from "./guides.ts";
import { startRedis } from "./redis-server.ts";
import { Sandbox } from "./sandbox.ts";
import { ROOT, read } from "./sources.ts";

/** Every block of every document is run, or checked in the way of its language. */

/** Blocks that a test of their own runs or checks, by document. */
const OWN: Record<string, { languages: string[]; test: string }> = {
  "README.md": { languages: ["js", "text"], test: "test/readme.test.ts" },
  "clients/python/README.md": {
    languages: ["python", "text"],
    test: "test/python/documents.test.ts",
  },
  "docs/guides/other-languages.md": {
    languages: ["python", "text", "sh", "json"],
    test: "test/python/documents.test.ts",
  },
  "docs/guides/cli.md": { languages: ["sh"], test: "test/cli/examples.test.ts" },
  "docs/guides/client.md": { languages: ["ts", "text"], test: "test/client/guide.test.ts" },
  "docs/guides/http.md": {
    languages: ["ts", "text", "sh", "json"],
    test: "test/http/guide.test.ts",
  },
  "docs/guides/workers.md": {
    languages: ["ts", "js", "text", "sh"],
    test: "test/worker/guide.test.ts",
  },
  "docs/protocol.md": { languages: ["lua", "acl"], test: "test/protocol-examples.test.ts" },
  "docs/states.md": { languages: ["mermaid"], test: "test/documents.test.ts" },
};

const ALL = DOCUMENTS.flatMap((document) => blocksOf(document));
const isOwn = ({ document, language, marks }: Block) =>
  OWN[document]?.languages.includes(language) === true && marks.length === 0;
const isMarked = ({ marks }: Block) => marks.some((mark) => mark in MARKS);
const isScript = ({ language }: Block) => language === "sh" || language === "console";
/** What is run in the repository itself: a reader has cloned it. */
const isOfRepository = ({ code }: Block) => /^(npm |npx vitest )/.test(code);

describe("every block", () => {
  /** What is wrong with a block, if anything. */
  function complaint(block: Block, before: Block | undefined): string | undefined {
    const { language, marks, adjoins } = block;
    const unknown = marks.find((mark) => !(mark in MARKS) && !mark.startsWith("file="));
    if (language === "") return "has no language";
    if (unknown !== undefined) return `has the mark ${unknown}, and there is none such`;
    if (isOwn(block) || isMarked(block) || fileOf(block) !== undefined) return undefined;
    if (["ts", "sh", "console", "json", "conf"].includes(language)) return undefined;
    if (language !== "text") return `is ${language}, which no test runs`;
    const isOutput = adjoins && before !== undefined && /^(ts|sh)$/.test(before.language);
    return isOutput ? undefined : "is neither output, nor a file, nor marked";
  }

  test.each(DOCUMENTS)("of %s is run or checked by some test", (document) => {
    const blocks = blocksOf(document);
    const complaints = blocks.map((block, i) => {
      const wrong = complaint(block, blocks[i - 1]);
      return wrong === undefined ? [] : [`${placeOf(block)} ${wrong}`];
    });
    expect(complaints.flat()).toEqual([]);
  });

  test.each(Object.entries(OWN))("of %s is left to a test that reads it", (document, own) => {
    expect(read(own.test)).toContain(document);
    const languages = new Set(blocksOf(document).map(({ language }) => language));
    expect(own.languages.filter((language) => !languages.has(language))).toEqual([]);
  });
});

describe("the TypeScript of the documents", () => {
  const documents = DOCUMENTS.filter((document) =>
    blocksOf(document).some((block) => block.language === "ts" && !isOwn(block)),
  );
  const guides = documents.map((document) => ({ document, guide: new Guide(document) }));

  test("compiles", () => {
    expect(mistakesIn(guides.flatMap(({ guide }) => guide.examples))).toEqual([]);
  }, 180_000);

  for (const { document, guide } of guides) {
    describe(document, () => {
      const blocks = blocksOf(document).filter(({ language }) => language === "ts");
      test("is found", () => expect(guide.examples).toHaveLength(blocks.length));
      guide.declareRuns();
    });
  }
});

describe("what the documents type", () => {
  const documents = DOCUMENTS.filter((document) => blocksOf(document).some(isRun));

  function isRun(block: Block): boolean {
    return isScript(block) && !isOwn(block) && !isMarked(block) && !isOfRepository(block);
  }

  test.concurrent.each(documents)(
    "in %s works, and prints what they say",
    async (document) => {
      const sandbox = await Sandbox.open();
      try {
        for (const [i, block] of blocksOf(document).entries()) {
          const name = fileOf(block);
          if (name !== undefined) sandbox.write(name, block.code);
          if (!isRun(block)) continue;
          const printed = await sandbox.run(commandsOf(block));
          const told = toldOf(block, blocksOf(document)[i + 1]);
          if (told !== undefined) expect(fitted(printed, told), placeOf(block)).toBe(told);
        }
      } finally {
        const codes = await sandbox.stop();
        expect(codes.filter((code) => code !== 0)).toEqual([]);
      }
    },
    120_000,
  );

  const commandsOf = ({ language, code }: Block) =>
    language === "sh" ? code : [...code.matchAll(/^\$ (.*)$/gm)].map(([, line]) => line).join("\n");

  /** What a block is said to print: the lines of a session, or the block that follows. */
  function toldOf({ language, code }: Block, next: Block | undefined): string | undefined {
    if (language === "console") return code.replaceAll(/^\$ .*\n/gm, "") || undefined;
    const isOutput = next?.adjoins === true && next.marks.length === 0;
    return isOutput && /^(text|json)$/.test(next.language) ? next.code : undefined;
  }

  /** What was printed, with dots wherever the document leaves something out. */
  function fitted(printed: string, told: string): string {
    const given = printed.trimEnd().split("\n");
    const lines = told.trimEnd().split("\n");
    const same = given.map((line, i) => {
      const parts = (lines[i] ?? "").split("...").map((part) => part.replaceAll(/[^\w ]/g, "\\$&"));
      return new RegExp(`^${parts.join(".*")}$`).test(line.trimEnd()) ? lines[i] : line;
    });
    return `${same.join("\n")}\n`;
  }

  test("of npm is in the package", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const lines = ALL.filter((block) => isScript(block) && isOfRepository(block));
    const named = lines.flatMap(({ code }) => [...code.matchAll(/npm run ([\w:-]+)/g)]);
    expect(named.filter(([, name]) => !(name! in scripts)).map(([line]) => line)).toEqual([]);
    const files = lines.flatMap(({ code }) => [...code.matchAll(/vitest run (\S+)/g)]);
    expect(files.filter(([, file]) => !existsSync(join(ROOT, file!)))).toEqual([]);
  });

  test("of qless has verbs and flags that there are", () => {
    const typed = ALL.filter(isScript).flatMap((block) =>
      [...block.code.matchAll(/\bqless ([a-z][^|;&>\n]*)/g)].map(([, line]) => line!.trim()),
    );
    expect(typed.length).toBeGreaterThan(80);
    expect(typed.filter((line) => !isKnown(line))).toEqual([]);
  });

  function isKnown(line: string): boolean {
    const names = VERBS.map(({ name }) => name).toSorted((a, b) => b.length - a.length);
    const name = names.find((one) => line === one || line.startsWith(`${one} `));
    const whole = name ?? `${line.split(" ")[0]} list`;
    const verb = VERBS.find((one) => one.name === whole);
    if (verb === undefined) return false;
    const known = flagsOf(verb).map(({ flag }) => flag.split(" ")[0]);
    const used = line.replaceAll(/'[^']*'/g, "").match(/(?<= )--[a-z-]+/g) ?? [];
    return used.every((flag) => known.includes(flag));
  }
});

describe("what else the documents show", () => {
  test.each(
    ALL.filter(({ language }) => language === "json").map((block) => [placeOf(block), block]),
  )("is JSON at %s", (_, block) => void JSON.parse((block as Block).code));

  test.each(
    ALL.filter(({ language }) => language === "conf").map((block) => [placeOf(block), block]),
  )("is a configuration that Redis takes at %s", async (_, block) => {
    const lines = (block as Block).code.split("\n").filter((line) => /^\w/.test(line));
    const server = await startRedis({
      args: lines.flatMap((line) => `--${line}`.split(" ")),
    });
    await server.stop();
  });

  test("is a command that the engine takes, where it is marked as one", async () => {
    const engine = await EmbeddedEngine.open(":memory:");
    for (const block of ALL.filter(({ marks }) => marks.includes("call"))) {
      const words = block.code.trim().match(/"[^"{[]*"(?=\s|$)|\S+/g)!;
      const [command, ...args] = words.map((word) => word.replace(/^"(.*)"$/, "$1"));
      await expect(
        engine.call(command as CommandName, args),
        placeOf(block),
      ).resolves.toBeDefined();
    }
    await engine.close();
  });
});
