import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  BUDGET,
  budgetTable,
  compare,
  differences,
  isExceeded,
} from "../tools/instructions/budget.mjs";
import { ROOT } from "./sources.ts";

const TOOL = join(ROOT, "tools/instructions.mjs");
const folder = mkdtempSync(join(tmpdir(), "qless-instructions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(args: readonly string[], path = process.env.PATH ?? "") {
  const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, ...args], {
    encoding: "utf8",
    env: { ...process.env, PATH: path },
    timeout: 240_000,
  });
  return { status, stdout, stderr: stderr.trim() };
}

const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
const NEEDED = ["redis-server", "valgrind", "cc"];
const canCount = NEEDED.every(has);

describe("the comparison of instruction counts", () => {
  const base = { 1: { put: 100, finish: 200 }, 5: { put: 50, finish: 100 } };

  test("counts the larger growth of finish and whole job against the budget", () => {
    const now = { 1: { put: 80, finish: 230 }, 5: { put: 60, finish: 101 } };
    const rows = compare(base, now);
    expect(rows.map(({ perCall, put, finish }) => [perCall, put, finish])).toEqual([
      [1, expect.closeTo(-20), expect.closeTo(15)],
      [5, expect.closeTo(20), expect.closeTo(1)],
    ]);
    expect(rows.map(({ left }) => left)).toEqual([
      expect.closeTo(BUDGET[1]! - 15),
      expect.closeTo(BUDGET[5]! - 22 / 3, 1),
    ]);
    expect(isExceeded(rows)).toBe(true);
  });

  test("accepts counts within the budget, and shows what is left", () => {
    const rows = compare(base, { 1: { put: 100, finish: 206 } });
    expect(isExceeded(rows)).toBe(false);
    expect(budgetTable(rows)).toBe(
      "jobs per call     put  finish  whole job   budget    left\n" +
        "            1  +0.0 %  +3.0 %     +2.0 %  +20.0 %  17.0 %",
    );
  });

  test("compares only jobs per call that were counted in both states", () => {
    expect(compare(base, { 7: { put: 1, finish: 1 } })).toEqual([]);
  });

  test("names every fact in which two environments differ", () => {
    expect(differences({ redis: "7.0", libc: "2.36" }, { redis: "7.2", libc: "2.36" })).toEqual([
      "redis: recorded 7.0, here 7.2",
    ]);
  });

  test("has a stored table for every budget", () => {
    const stored = JSON.parse(readFileSync(join(ROOT, "bench/instructions.json"), "utf8"));
    expect(Object.keys(stored.counts)).toEqual(Object.keys(BUDGET));
  });
});

describe("the tool", () => {
  test("names the program that is missing, and what to install", () => {
    const { status, stderr } = run([], folder);
    expect(status).toBe(2);
    expect(stderr).toBe(
      "Counting instructions requires redis-server, which is not in the PATH: install the " +
        "package redis-server.",
    );
  });

  test.skipIf(!canCount)("asks for valgrind where only valgrind is missing", () => {
    for (const program of ["redis-server", "cc"]) {
      const found = spawnSync("which", [program], { encoding: "utf8" }).stdout.trim();
      symlinkSync(found, join(folder, program));
    }
    const { status, stderr } = run([], folder);
    expect(status).toBe(2);
    expect(stderr).toContain("requires valgrind");
    expect(stderr).toContain("install the package valgrind");
  });

  test("rejects a folder without a library, and a count of jobs that is not one", () => {
    expect(run([folder])).toMatchObject({ status: 2, stderr: expect.stringContaining("npm run") });
    expect(run(["--jobs", "x"])).toMatchObject({
      status: 2,
      stderr: '--jobs "x" is not a whole number from 1 to 100000.',
    });
  });

  test.skipIf(!canCount)(
    "counts the same twice, and compares a folder with itself",
    { timeout: 240_000 },
    () => {
      const dist = join(ROOT, "dist");
      const { status, stdout } = run([dist, "--base", dist, "--per", "10", "--jobs", "200"]);
      expect(stdout.match(/^ +10 +[\d,]{6,} +[\d,]{6,} +[\d,]{6,}$/gm)).toHaveLength(2);
      const [, put, finish] = /^ +10 +([+-][\d.]+) % +([+-][\d.]+) %.*\+6\.0 %/m.exec(stdout)!;
      expect(Math.abs(Number(put))).toBeLessThanOrEqual(0.3);
      expect(Math.abs(Number(finish))).toBeLessThanOrEqual(0.3);
      expect(status).toBe(0);
    },
  );
});
