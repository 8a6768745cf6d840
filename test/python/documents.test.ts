import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everyServer } from "../http/support.ts";
import { ExampleLeases } from "../lease-examples.ts";
import { type RedisServer, startRedis } from "../redis-server.ts";
import { filesIn, ROOT, read } from "../sources.ts";
import { pythonRun } from "./support.ts";

const run = promisify(execFile);

const README = "clients/python/README.md";
const GUIDE = "docs/guides/other-languages.md";
const REDIS = "redis://127.0.0.1:6379";
const HTTP = "http://127.0.0.1:4774";
const LOAD = "-x FUNCTION LOAD < dist/qless.functions.lua";
const IN_ROOT = { cwd: ROOT };
const PYTHON = /```python\n(.*?)```\n+```text\n(.*?)```/gs;

/** The programs of a document, each with what it is said to print. */
const programsOf = (path: string) =>
  [...read(path).matchAll(PYTHON)].map(([, code = "", prints = ""]) => ({ code, prints }));

describe.each([README, GUIDE])("%s", (path) => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
    // The guide loads the functions itself.
    if (path === README) await run("sh", ["-ec", `redis-cli -e -u ${server.url} ${LOAD}`], IN_ROOT);
  });
  afterAll(() => server.stop());

  test("has programs that print what it says", async () => {
    const all = programsOf(path);
    expect(all.length).toBe(read(path).split("```python").length - 1);
    const shell = [...read(path).matchAll(/```sh\n(redis-cli.*?)```/gs)];
    for (const [, words = ""] of shell) {
      const script = words.replaceAll(/^redis-cli/gm, `redis-cli -e -u ${server.url}`);
      await run("sh", ["-ec", script], IN_ROOT);
    }
    for (const { code, prints } of all.filter((one) => one.code.includes(REDIS))) {
      expect(await pythonRun(code.replace(REDIS, server.url))).toBe(prints);
    }
  });
});

everyServer("the programs over HTTP", (open) => {
  test("print what the README says", async () => {
    const bench = await open();
    const all = programsOf(README).filter(({ code }) => code.includes(HTTP));
    expect(all).toHaveLength(1);
    for (const { code, prints } of all) {
      expect(await pythonRun(code.replace(HTTP, bench.url))).toBe(prints);
    }
  });

  test("and the commands answer what the guide says", async () => {
    const bench = await open();
    const blocks = [...read(GUIDE).matchAll(/```sh\n(curl.*?)```(?:\n+```json\n(.*?)```)?/gs)];
    expect(blocks).toHaveLength(3);
    const leases = new ExampleLeases();
    for (const [, code = "", prints] of blocks) {
      const command = leases.inText(code).replaceAll(HTTP, bench.url);
      const { stdout } = await run("sh", ["-ec", command]);
      expect(stdout).not.toContain('"error"');
      if (prints === undefined) continue;
      leases.learn(prints, stdout);
      expect(JSON.parse(stdout)).toMatchObject(JSON.parse(leases.inText(prints)));
    }
    expect((await bench.client.get("w-7"))!.state).toBe("complete");
  });
});

describe("Python", () => {
  const files = [...filesIn("clients"), ...filesIn("test/python")].filter((path) =>
    path.endsWith(".py"),
  );

  test("has no line over 100 columns, and no tab", () => {
    const long = files.flatMap((path) =>
      read(path)
        .split("\n")
        .filter((line) => [...line].length > 100 || line.includes("\t"))
        .map((line) => `${path}: ${line}`),
    );
    expect(long).toEqual([]);
  });

  test("shows how little a client needs: 280 lines over HTTP, 370 over Redis and its clusters", () => {
    const clients = filesIn("clients").filter((path) => path.endsWith(".py"));
    const most = (path: string) => (path.endsWith("qless_http.py") ? 280 : 370);
    const long = clients.filter((path) => read(path).trimEnd().split("\n").length > most(path));
    expect(clients).toHaveLength(2);
    expect(long).toEqual([]);
  });

  test("compiles, has no function over 40 lines, and imports what the README says", async () => {
    const report = `
import ast, sys
for path in sys.argv[1:]:
    tree = ast.parse(open(path, encoding="utf-8").read(), path, feature_version=(3, 9))
    compile(tree, path, "exec")
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= 40:
            print(path, node.name)
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        for name in names:
            if name.split(".")[0] not in sys.stdlib_module_names:
                print(path, "imports", name)
`;
    expect(await pythonRun(report, files)).toBe("clients/python/qless.py imports redis\n");
  });
});
