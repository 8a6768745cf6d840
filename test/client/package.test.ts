import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshNamespace, redisUrl } from "../engines.ts";
import { ROOT } from "../sources.ts";
import { type Published, publish } from "./published.ts";

let published: Published;
beforeAll(() => {
  published = publish();
}, 120_000);
afterAll(() => rmSync(published.project, { recursive: true }));

const inPackage = (path: string) => join(published.project, "node_modules/qless", path);
const textOf = (path: string) => readFileSync(inPackage(path), "utf8");

/** Where the tests were started by `npm exec -c`, npx would take that for its own. */
const env = { ...process.env, npm_config_call: undefined };

function run(command: string, args: string[]): string {
  const options = { cwd: published.project, env, encoding: "utf8", stdio: "pipe" } as const;
  return execFileSync(command, args, options);
}

function write(file: string, text: string): string {
  writeFileSync(join(published.project, file), text);
  return file;
}

/** A fifth more than it was when this was written. */
const MAX_BYTES = 1.7e6;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

describe("the tarball", () => {
  test("has what it needs", () => {
    const needed = ["dist/index.js", "dist/index.d.ts", "dist/qless.functions.lua", "LICENSE"];
    const more = ["README.md", "dist/ui/index.html"];
    expect(published.files).toEqual(expect.arrayContaining([...needed, ...more]));
    expect(published.files.filter((path) => !existsSync(inPackage(path)))).toEqual([]);
  });

  test("has programs, their types, the Lua files and documents, and nothing else", () => {
    const wanted = [
      /^dist\/(?!lua\/).*\.(js|d\.ts)$/,
      /^dist\/(qless[\w.-]*\.lua|manifest\.json)$/,
      /^dist\/ui\/(index\.html|icon\.svg|licenses\.md|assets\/[\w.-]+\.css)$/,
      /^docs\/(.*\.md|pictures\/[\w-]+\.png)$/,
      /^bench\/(RESULTS\.md|plots\/[\w-]+\.svg)$/,
      /^clients\/python\/[\w]+\.(py|md)$/,
      /^(package\.json|README\.md|CHANGELOG\.md|CONTRIBUTING\.md|LICENSE)$/,
    ];
    const isWanted = (path: string) => wanted.some((pattern) => pattern.test(path));
    expect(published.files.filter((path) => !isWanted(path))).toEqual([]);
    expect(published.files.filter((path) => path.includes(".test."))).toEqual([]);
  });

  test("has everything that its README shows and links to", () => {
    const linked = [...textOf("README.md").matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map(
      ([, to]) => to!,
    );
    expect(linked.length).toBeGreaterThan(10);
    expect(linked.filter((to) => !existsSync(inPackage(to)))).toEqual([]);
  });

  test("is small", () => {
    const { size, installMs, byNpm } = published;
    const how = byNpm ? "installed by npm" : "unpacked";
    console.log(`${(size / 1e6).toFixed(2)} MB, ${how} in ${(installMs / 1000).toFixed(1)} s`);
    expect(size).toBeLessThan(MAX_BYTES);
  });

  test("points to no source map that it has not got", () => {
    const missing = published.files.filter((path) => {
      const map = /\/[/*][#@] sourceMappingURL=(\S+)/.exec(textOf(path))?.[1];
      return map !== undefined && !existsSync(inPackage(join(dirname(path), map)));
    });
    expect(missing).toEqual([]);
  });

  test("knows nothing of the machine it was made on", () => {
    const folders = [ROOT.replace(/\/$/, ""), `${homedir()}/`];
    const isTold = (text: string) =>
      folders.some((folder) => text.includes(folder)) ||
      /\/(work|tmp|root|home)\/|file:\/\/\//.test(text);
    expect(published.files.filter((path) => isTold(textOf(path)))).toEqual([]);
  });
});

describe("a project that has installed it", () => {
  test("uses it from a program in JavaScript", () => {
    const code = `import { connect, defineJobs } from "qless";
      import { openTestQueue } from "qless/testing";
      for (const url of ["sqlite:./jobs.db", ${JSON.stringify(redisUrl())}]) {
        const jobs = defineJobs({ k: {} });
        const namespace = ${JSON.stringify(freshNamespace())};
        const client = await connect(url, { jobs, namespace, onWarning() {} });
        const { jid } = await client.put("k", { a: 1 });
        const [job] = await client.queue("k").pop();
        await job.complete();
        console.log((await client.get(jid)).state);
        await client.close();
      }
      const queue = await openTestQueue({ handlers: { k: () => 2 } });
      console.log((await queue.performJob("k", 1)).state);
      await queue.close();`;
    const printed = run(process.execPath, [write("app.js", code)]);
    expect(printed).toBe("complete\ncomplete\ncomplete\n");
  });

  test("has its command", ({ skip }) => {
    skip(!published.byNpm, "npm cannot reach its registry");
    const { version } = JSON.parse(textOf("package.json"));
    expect(run("npx", ["--no-install", "qless", "--version"])).toBe(`${version}\n`);
    expect(existsSync(join(published.project, "node_modules/.bin/qless"))).toBe(true);
  });

  test.each([
    ["demo", "--port", "0"],
    ["serve", "--port", "0", "--url", "sqlite:./served.db"],
  ])(
    "serves the web interface with qless %s",
    async (...words) => {
      const [command, ...before] = published.byNpm
        ? ["npx", "--no-install", "qless"]
        : [process.execPath, inPackage("dist/cli/qless.js")];
      // A group of its own, as a terminal gives it: a signal reaches npx and what it has started.
      const server = spawn(command!, [...before, ...words], {
        cwd: published.project,
        env,
        detached: true,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = once(server, "close");
      let said = "";
      server.stdout.on("data", (chunk) => {
        said += chunk;
      });
      try {
        await expect.poll(() => said, { timeout: 20_000 }).toMatch(ADDRESS);
        const page = await fetch(new URL("/ui/", ADDRESS.exec(said)![0]));
        expect(page.status).toBe(200);
        const script = /src="\.\/(assets\/[\w.-]+\.js)"/.exec(await page.text())![1]!;
        expect((await fetch(new URL(script, page.url))).status).toBe(200);
      } finally {
        process.kill(-server.pid!, "SIGINT");
      }
      // Once nobody can write any more; npx itself dies of the signal.
      await ended;
      expect(said).toMatch(/Stopped/);
    },
    60_000,
  );

  test("compiles a program in TypeScript against it, and none with mistakes", () => {
    write("app.ts", PROGRAM);
    const options = { strict: true, module: "nodenext", target: "es2022", noEmit: true };
    const settings = { ...options, lib: ["es2022", "esnext.disposable"], types: ["node"] };
    // By npm there are the types that users get, and these must be whole.
    const compilerOptions = { ...settings, skipLibCheck: !published.byNpm };
    write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["app.ts"] }));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    expect(run(process.execPath, [tsc, "-p", "."])).toBe("");
  }, 60_000);
});

const PROGRAM = `import { type Client, connect, defineJobs, LostLock, payload } from "qless";
  import { openTestQueue } from "qless/testing";
  import { z } from "zod";
  const jobs = defineJobs({ a: payload<{ n: number }>(), b: z.object({ s: z.string() }) });
  export async function main(): Promise<void> {
    const client: Client<typeof jobs> = await connect("sqlite::memory:", { jobs });
    await client.put("a", { n: 1 }, { delay: "5s", unique: { key: "u", until: "start" } });
    // @ts-expect-error: a number is wanted.
    await client.put("a", { n: "1" });
    // @ts-expect-error: there is no such klass.
    await client.put("c", {});
    for await (const job of client.search({ klass: "b" })) {
      if (job.klass === "b") console.log(job.data.s.length);
    }
    const secure = await connect("rediss://redis", { tls: { ca: "", servername: "redis" } });
    await secure.close();
    const queue = await openTestQueue({ jobs, handlers: { a: ({ n }) => n + 1 } });
    await queue.drain();
    try {
      await client.queue("q").pop({ worker: "w" });
    } catch (error) {
      if (error instanceof LostLock) console.log(error.code);
    }
  }
  `;
