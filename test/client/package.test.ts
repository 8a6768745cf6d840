import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../sources.ts";

/**
 * The package as it is published, in a project of its own: what the tarball holds and nothing else.
 * Its dependencies are those of this project, so that no registry is needed.
 */

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "qless-package-"));
  const modules = join(project, "node_modules");
  mkdirSync(join(modules, "qless"), { recursive: true });
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", project];
  const packed = execFileSync("npm", args, { cwd: ROOT, encoding: "utf8" });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const unpack = ["-xzf", join(project, filename), "--strip-components=1"];
  execFileSync("tar", [...unpack, "-C", join(modules, "qless")]);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name.startsWith(".")) continue;
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(project, "package.json"), '{"type":"module"}');
}, 60_000);
afterAll(() => rmSync(project, { recursive: true }));

function node(file: string, code: string): string {
  writeFileSync(join(project, file), code);
  return execFileSync(process.execPath, [file], { cwd: project, encoding: "utf8" });
}

test("the tarball has what it needs, and no sources or tests", () => {
  const inside = (path: string) => existsSync(join(project, "node_modules/qless", path));
  for (const path of ["dist/index.js", "dist/index.d.ts", "dist/qless.functions.lua", "LICENSE"]) {
    expect([path, inside(path)]).toEqual([path, true]);
  }
  for (const path of ["src", "test", "bench", "tools"]) {
    expect([path, inside(path)]).toEqual([path, false]);
  }
});

test("a program in JavaScript uses it", () => {
  const printed = node(
    "app.js",
    `import { connect, defineJobs } from "qless";
    import { openTestQueue } from "qless/testing";
    const client = await connect("sqlite:./jobs.db", { jobs: defineJobs({ k: {} }) });
    const { jid } = await client.put("k", { a: 1 });
    const [job] = await client.queue("k").pop();
    await job.complete();
    console.log((await client.get(jid)).state);
    await client.close();
    const queue = await openTestQueue({ handlers: { k: () => 2 } });
    console.log((await queue.performJob("k", 1)).state);
    await queue.close();`,
  );
  expect(printed).toBe("complete\ncomplete\n");
});

test("a program in TypeScript compiles against it, and one with mistakes does not", () => {
  writeFileSync(
    join(project, "app.ts"),
    `import { type Client, connect, defineJobs, LostLock, payload } from "qless";
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
      const queue = await openTestQueue({ jobs, handlers: { a: ({ n }) => n + 1 } });
      await queue.drain();
      try {
        await client.queue("q").pop({ worker: "w" });
      } catch (error) {
        if (error instanceof LostLock) console.log(error.code);
      }
    }
    `,
  );
  const options = { strict: true, module: "nodenext", target: "es2022", noEmit: true };
  const settings = { ...options, lib: ["es2022", "esnext.disposable"], types: ["node"] };
  const compilerOptions = { ...settings, skipLibCheck: true };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["app.ts"] }),
  );
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const compile = () =>
    execFileSync(process.execPath, [tsc, "-p", project], { encoding: "utf8", stdio: "pipe" });
  expect(compile()).toBe("");
}, 60_000);
