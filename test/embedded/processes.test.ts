import { chmodSync, chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/engine.ts";
import { childProcesses } from "./child-process.ts";
import { freshDirectory, freshFile } from "./support.ts";

/** Somebody who is not root, whom no mode would stop. */
const NOBODY = 65534;
const AS_ROOT = process.getuid?.() === 0;

const start = childProcesses();

async function openedEngine(file: string): Promise<EmbeddedEngine> {
  const engine = await EmbeddedEngine.open(file);
  onTestFinished(() => engine.close());
  return engine;
}

const PATIENT = { timeout: 20_000, interval: 20 };

describe("processes", () => {
  test("that are killed have lost nothing they were answered", async () => {
    const file = freshFile();
    const children = ["a", "b"].map((name) => start("put", file, name));
    for (const { lines } of children) {
      await expect.poll(() => lines.length, PATIENT).toBeGreaterThan(100);
    }
    for (const { process } of children) process.kill("SIGKILL");
    await Promise.all(children.map(({ ended }) => ended));
    const engine = await openedEngine(file);
    const jids = children.flatMap(({ lines }) => lines);
    const found = await Promise.all(jids.map((jid) => engine.call("get", [jid])));
    expect(jids.filter((_, i) => found[i] === false)).toEqual([]);
    const db = new Database(file);
    onTestFinished(() => void db.close());
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
  });

  test("that share a file take each job once", async () => {
    const file = freshFile();
    const engine = await openedEngine(file);
    const jids = Array.from({ length: 200 }, (_, i) => `j${i}`);
    await Promise.all(jids.map((jid) => engine.call("put", ["w", "q", jid, "k", "{}", 0])));
    const children = ["a", "b"].map((name) => start("pop", file, name));
    await Promise.all(children.map(({ ended }) => ended));
    const taken = children.flatMap(({ lines }) => lines);
    expect(taken.sort()).toEqual(jids.sort());
  });

  test("hear what others announce", async () => {
    const file = freshFile();
    const engine = await openedEngine(file);
    const child = start("listen", file);
    await expect.poll(() => child.lines, PATIENT).toEqual(["listening"]);
    for (const jid of ["a", "b", "c"]) await engine.call("put", ["w", "q", jid, "k", "{}", 0]);
    await expect.poll(() => child.lines.length, PATIENT).toBe(4);
    const heard = ["a", "b", "c"].map((jid) => `log {"event":"put","jid":"${jid}","queue":"q"}`);
    expect(child.lines.slice(1)).toEqual(heard);
  });

  test.each([
    ["close", "none"],
    ["forget", "done"],
  ])("end by themselves (%s)", async (role, last) => {
    const child = start(role, freshFile());
    expect(await child.ended).toEqual([0, null]);
    expect(child.lines).toEqual([last]);
  });
});

describe("processes without the right to write", () => {
  function readOnlyCase(prepare: (directory: string, file: string) => void) {
    const directory = freshDirectory();
    const file = join(directory, "queue.db");
    writeFileSync(file, "");
    prepare(directory, file);
    onTestFinished(() => chmodSync(directory, 0o700));
    return { file, child: start("open", file, AS_ROOT ? String(NOBODY) : "") };
  }

  test.each<[string, (directory: string, file: string) => void]>([
    [
      "the file",
      (directory, file) => {
        chmodSync(directory, 0o777);
        chmodSync(file, 0o444);
      },
    ],
    [
      "the directory",
      (directory, file) => {
        if (AS_ROOT) chownSync(file, NOBODY, NOBODY);
        chmodSync(directory, 0o555);
      },
    ],
  ])("%s are told so", async (_what, prepare) => {
    const { file, child } = readOnlyCase(prepare);
    await child.ended;
    const message = `${file} cannot be written: let this user write it and its directory`;
    expect(child.lines).toEqual([`READ_ONLY ${message}`]);
  });
});
