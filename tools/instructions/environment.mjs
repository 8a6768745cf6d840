/** What the counts depend on besides qless: programs, their versions, and the measured sequence. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A reason not to measure, as a sentence for the user. */
export class CannotMeasure extends Error {}

const NEEDED = [
  ["redis-server", "redis-server", "the package redis-server"],
  ["valgrind", "valgrind", "the package valgrind"],
  ["cc", "a C compiler (cc)", "the package gcc"],
];

/** The paths of the programs needed, by command; throws if one is missing. */
export function findPrograms(path = process.env.PATH ?? "") {
  const found = {};
  for (const [command, what, advice] of NEEDED) {
    const program = locate(command, path);
    if (program === undefined) {
      throw new CannotMeasure(
        `Counting instructions requires ${what}, which is not in the PATH: install ${advice}.`,
      );
    }
    found[command] = program;
  }
  return found;
}

function locate(command, path) {
  return path
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Sources that decide what is measured; a change of one makes older counts incomparable. */
const SEQUENCE = ["steady.c", "server.mjs", "sequence.mjs"];

export const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url));

const sha = (...contents) => {
  const hash = createHash("sha256");
  for (const content of contents) hash.update(content);
  return hash.digest("hex").slice(0, 16);
};

const firstLine = (program, ...args) =>
  execFileSync(program, args, { encoding: "utf8" }).split("\n")[0].trim();

/** Counts from two machines can be compared only if these facts are equal. */
export function environmentOf(programs) {
  return {
    redis: firstLine(programs["redis-server"], "--version"),
    redisBinary: sha(readFileSync(realpathSync(programs["redis-server"]))),
    valgrind: firstLine(programs.valgrind, "--version"),
    compiler: firstLine(programs.cc, "--version"),
    libc: process.report.getReport().header.glibcVersionRuntime ?? "unknown",
    machine: process.arch,
    sequence: sha(...SEQUENCE.map((file) => readFileSync(pathOf(file)))),
  };
}
