import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { freshNamespace } from "../engines.ts";
import { SERVER } from "../redis/certificates.ts";
import { startCluster } from "../redis/cluster.ts";
import { startProxy } from "../redis/proxy.ts";
import { startWatched } from "../redis/sentinel.ts";
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

/** What stands in an example, and what is put in its place to run it. */
type Places = Record<string, string>;

/** Runs an example with other places than it names. */
async function printed(code: string, places: Places): Promise<string> {
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
  writeFileSync(path, Object.entries(places).reduce(replaced, outputText));
  try {
    await import(path);
  } finally {
    log.mockRestore();
  }
  return lines.map((line) => `${line}\n`).join("");
}

function replaced(text: string, [place, by]: [string, string]): string {
  return text.replaceAll(place, by);
}

/** Runs it in a namespace of its own. */
async function printedOnRedis(code: string, places: Places): Promise<string> {
  vi.stubEnv("QLESS_NAMESPACE", freshNamespace());
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  try {
    return await printed(code, places);
  } finally {
    warn.mockRestore();
    vi.unstubAllEnvs();
  }
}

const SERVERS = "TLS, Sentinel, Cluster";
const isOfServers = ({ title }: { title: string }) => title.startsWith(SERVERS);

describe.each(files.filter((file) => !isOfServers(file)))("the example under $title", (example) => {
  const { code, prints } = example;
  const FILE = "sqlite:./jobs.db";

  test("runs on a file, and prints what the guide says", async () => {
    const home = mkdtempSync(join(tmpdir(), "qless-guide-"));
    try {
      const given = await printed(code, { [FILE]: `sqlite:${join(home, "jobs.db")}` });
      if (prints !== undefined) expect(given).toBe(prints);
    } finally {
      rmSync(home, { recursive: true });
    }
  });

  test("runs on Redis, and prints the same", async () => {
    const given = await printedOnRedis(code, { [FILE]: inject("redisUrl") });
    if (prints !== undefined) expect(given).toBe(prints);
  });
});

describe(`the examples under ${SERVERS}`, () => {
  /** The places of an example that there is one of, by what it shows. */
  const runs: [shows: string, places: () => Promise<Places>][] = [
    ["rediss://", secured],
    ["sentinels:", watched],
    ["node-1", clustered],
  ];

  async function secured(): Promise<Places> {
    const { port } = new URL(inject("redisUrl"));
    const { url } = await startProxy(Number(port), SERVER);
    const ca = fileURLToPath(new URL("../redis/tls/ca.pem", import.meta.url));
    return { "rediss://:secret@redis.example.com:6380": url, "ca.pem": ca };
  }

  async function watched(): Promise<Places> {
    const { sentinel } = await startWatched();
    const hosts = { "sentinel-1.example.com": "127.0.0.1", "sentinel-2.example.com": "127.0.0.1" };
    return { ...hosts, "26379": String(sentinel.port), ":secret@": "" };
  }

  async function clustered(): Promise<Places> {
    const cluster = await startCluster(1);
    onTestFinished(() => cluster.stop());
    return { "redis://node-1.example.com:6379": cluster.servers[0]!.url };
  }

  test("are these", () => {
    expect(files.filter(isOfServers)).toHaveLength(runs.length);
  });

  test.each(runs)(
    "run on such servers, and print what the guide says (%s)",
    async (shows, open) => {
      const found = files.filter(isOfServers).filter(({ code }) => code.includes(shows));
      expect(found).toHaveLength(1);
      expect(await printedOnRedis(found[0]!.code, await open())).toBe(found[0]!.prints);
    },
  );
});
