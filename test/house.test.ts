import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { commands } from "../src/core/commands/index.ts";
import {
  filesIn,
  functionsOf,
  importsOf,
  isTypeScript,
  nodesOf,
  parse,
  ROOT,
  read,
} from "./sources.ts";

/** Rooms by the beginning of a path, the longer ones before those that contain them. */
const ROOMS = [
  "src/core/commands/",
  "src/core/",
  "src/redis/lua/",
  "src/redis/",
  "src/embedded/",
  "src/client/",
  "src/testing/",
  "src/worker/",
  "src/http/",
  "src/cli/",
  "src/ui/",
  "src/json/",
  "src/errors.ts",
  "src/engine.ts",
  "src/timers.ts",
  "src/connect.ts",
  "src/index.ts",
];

/**
 * Who may know whom, by room, types included; everyone knows its own room. Packages are named, and
 * `node:` stands for what Node brings along. Rooms that are still to be built have their row already.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "src/core/commands/": ["src/core/"],
  "src/core/": [],
  "src/redis/lua/": ["src/core/"],
  "src/redis/": ["src/core/", "src/engine.ts", "src/timers.ts", "ioredis", "node:"],
  "src/embedded/": [
    "src/core/",
    "src/core/commands/",
    "src/engine.ts",
    "src/timers.ts",
    "better-sqlite3",
    "node:",
  ],
  "src/errors.ts": [],
  "src/json/": [],
  "src/timers.ts": [],
  "src/engine.ts": ["src/core/", "src/core/commands/", "src/errors.ts"],
  "src/client/": [
    "src/engine.ts",
    "src/json/",
    "src/timers.ts",
    "node:",
    "@standard-schema/spec",
    "@opentelemetry/api",
    "croner",
  ],
  "src/testing/": ["src/client/", "src/connect.ts", "node:"],
  "src/worker/": ["src/client/", "src/engine.ts", "src/timers.ts", "node:"],
  "src/http/": [
    "src/client/",
    "src/engine.ts",
    "src/json/",
    "src/timers.ts",
    "node:",
    "fastify",
    "@sinclair/typebox",
    "@sinclair/typebox/compiler",
    "@sinclair/typebox/errors",
    "prom-client",
  ],
  "src/cli/": [
    "src/worker/",
    "src/http/",
    "src/client/",
    "src/engine.ts",
    "src/json/",
    "src/timers.ts",
    "src/connect.ts",
    "node:",
    "commander",
    "pino",
  ],
  "src/ui/": ["src/json/", "preact", "preact/hooks", "uplot"],
  "src/connect.ts": ["src/redis/", "src/embedded/", "src/engine.ts", "src/client/", "ioredis"],
  "src/index.ts": [
    "src/connect.ts",
    "src/redis/",
    "src/embedded/",
    "src/engine.ts",
    "src/client/",
    "src/worker/",
    "src/http/",
  ],
};

const roomOf = (path: string) => ROOMS.find((room) => path.startsWith(room));

function mayImport(path: string, target: string): boolean {
  const room = roomOf(path);
  if (room === undefined) return false;
  const to = target.startsWith("src/") ? roomOf(target) : target;
  if (to === undefined || to === room) return to !== undefined;
  const allowed = MAY_IMPORT[room] ?? [];
  return allowed.includes(to) || (to.startsWith("node:") && allowed.includes("node:"));
}

const sources = filesIn("src");
const core = sources.filter((path) => path.startsWith("src/core/"));

describe("imports", () => {
  test("obey the table of who may know whom", () => {
    const wrong = sources
      .filter(isTypeScript)
      .flatMap((path) => importsOf(path).map((target) => [path, target] as const))
      .filter(([path, target]) => !mayImport(path, target))
      .map(([path, target]) => `${path} imports ${target}`);
    expect(wrong).toEqual([]);
  });

  test("leave both engines to connect.ts and index.ts", () => {
    const knowsBoth = sources.filter(isTypeScript).filter((path) => {
      const rooms = importsOf(path).map(roomOf);
      return rooms.includes("src/redis/") && rooms.includes("src/embedded/");
    });
    const permitted = ["src/connect.ts", "src/index.ts"];
    expect(knowsBoth.filter((path) => !permitted.includes(path))).toEqual([]);
  });

  test("find every source file in a room", () => {
    expect(sources.filter((path) => roomOf(path) === undefined)).toEqual([]);
  });
});

/** What is longer than it should be. An entry that is no longer needed must go; none may be added. */
const LONG_FILES: readonly string[] = [];
const LONG_FUNCTIONS: readonly string[] = [];

describe("sizes", () => {
  const sized = sources.filter(isTypeScript);
  const lengths = sized.map((path) => ({ path, lines: read(path).trimEnd().split("\n").length }));
  const functions = sized.flatMap(functionsOf);

  test("keep every file to 400 lines", () => {
    expect(lengths.filter(({ lines }) => lines > 400)).toEqual([]);
  });

  test("keep every file to 250 lines, with exceptions that only shrink", () => {
    const long = lengths.filter(({ lines }) => lines > 250).map(({ path }) => path);
    expect(long.toSorted()).toEqual(LONG_FILES);
  });

  test("keep every function to 60 lines, with exceptions that only shrink", () => {
    const long = functions.filter(({ lines }) => lines > 60).map(({ name }) => name);
    expect(long.toSorted()).toEqual(LONG_FUNCTIONS);
  });

  test("keep nine functions of ten under 25 lines", () => {
    const short = functions.filter(({ lines }) => lines < 25).length;
    expect(short / functions.length).toBeGreaterThanOrEqual(0.9);
  });
});

describe("every command", () => {
  const names = Object.keys(commands).map((name) => name.replaceAll(".", "-"));
  const tests = readdirSync(join(ROOT, "test/commands")).filter((file) =>
    file.endsWith(".test.ts"),
  );

  /** The command a test file is about: the longest name that it begins with. */
  const subjectOf = (file: string) =>
    names
      .filter((name) => file === `${name}.test.ts` || file.startsWith(`${name}-`))
      .toSorted((a, b) => b.length - a.length)[0];

  test("has a test file of its own", () => {
    const tested = new Set(tests.map(subjectOf));
    expect(names.filter((name) => !tested.has(name))).toEqual([]);
  });

  test("has a section in the protocol", () => {
    const headings = read("docs/protocol.md").split("\n");
    const missing = Object.keys(commands).filter((name) => !headings.includes(`### ${name}`));
    expect(missing).toEqual([]);
  });

  test("lies in a file named after it", () => {
    const files = core.filter((path) => path.startsWith("src/core/commands/"));
    const expected = [...names, "index"].map((name) => `src/core/commands/${name}.ts`);
    expect(files.toSorted()).toEqual(expected.toSorted());
  });
});

describe("timers", () => {
  /** Node fires these after 1 ms when the delay is longer than 24.8 days. */
  const BARE = ["setTimeout", "setInterval"];
  const isServer = (path: string) => isTypeScript(path) && !path.startsWith("src/ui/");

  test("are started by timers.ts alone, which takes delays of any length", () => {
    const found: string[] = [];
    for (const path of sources.filter(isServer)) {
      const tree = parse(path);
      const words = [...nodesOf(tree)].filter(ts.isIdentifier).map(({ text }) => text);
      if (BARE.some((word) => words.includes(word))) found.push(path);
      else if (/\bAbortSignal\.timeout\b/.test(tree.text)) found.push(path);
      else if (/["'](node:)?timers(\/promises)?["']/.test(tree.text)) found.push(path);
    }
    expect(found).toEqual(["src/timers.ts"]);
  });
});

/** Syntax that Lua has not, or has differently. */
const FORBIDDEN: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.TryStatement]: "try",
  [ts.SyntaxKind.AsyncKeyword]: "async",
  [ts.SyntaxKind.AwaitExpression]: "await",
  [ts.SyntaxKind.ClassDeclaration]: "class",
  [ts.SyntaxKind.ClassExpression]: "class",
  [ts.SyntaxKind.AnyKeyword]: "any",
  [ts.SyntaxKind.ForInStatement]: "for..in",
};

describe("the core", () => {
  test("has no try, async, class, for..in or any", () => {
    const found: string[] = [];
    for (const path of core) {
      for (const node of nodesOf(parse(path))) {
        const word = FORBIDDEN[node.kind];
        if (word !== undefined) found.push(`${path} has ${word}`);
      }
    }
    expect(found).toEqual([]);
  });

  test("spells the beginning of keys in keys.ts alone", () => {
    const spelled = core.filter((path) => /["'`]ql:/.test(read(path)));
    expect(spelled.filter((path) => path !== "src/core/keys.ts")).toEqual([]);
  });

  test("needs no runtime of the compiler in Lua", () => {
    const built = readdirSync(join(ROOT, "dist")).filter((file) => file.endsWith(".lua"));
    expect(built.toSorted()).toEqual([
      "qless-lib.lua",
      "qless.functions.lua",
      "qless.lua",
      "qless.script.lua",
    ]);
    expect(built.filter((file) => read(`dist/${file}`).includes("__TS__"))).toEqual([]);
  });
});

describe("every file", () => {
  const written = ["src", "test", "tools", "bench", "docs"].flatMap(filesIn);

  test("has a name in kebab-case", () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/;
    const isNamed = (name: string) => kebab.test(name) || /^(README|RESULTS)\.md$/.test(name);
    expect(written.filter((path) => !isNamed(basename(path)))).toEqual([]);
  });

  test("leaves nothing to be done later", () => {
    // Put together here, so that this file does not find itself.
    const marks = new RegExp(
      `\\b(${["TO", "FIX"].map((a, i) => a + ["DO", "ME"][i]).join("|")})\\b`,
    );
    const all = [...written, ...filesIn("clients")];
    const marked = all.filter((path) => !path.endsWith("-lock.json") && marks.test(read(path)));
    expect(marked).toEqual([]);
  });
});
