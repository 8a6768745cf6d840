import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defineConfig, type WorkConfig } from "../../src/worker/config.ts";
import { readConfig } from "../../src/worker/config-file.ts";
import { folderOf } from "../cli/support.ts";

async function refusal(name: string, text: string): Promise<string> {
  return readConfig(folderOf({ [name]: text })).then(
    () => expect.fail("It was read"),
    (error: Error) => error.message,
  );
}

describe("a config file", () => {
  const config: WorkConfig = defineConfig({
    url: "sqlite:./a.db",
    namespace: "shop",
    queues: ["a", "b"],
    concurrency: 3,
    order: "weighted",
    weights: { a: 3 },
    grace: "5s",
    name: "w",
    log: { level: "warn", format: "json" },
  });

  test.each(["qless.config.json", "qless.config.js", "qless.config.mjs"])(
    "is found as %s",
    async (name) => {
      const json = JSON.stringify(config);
      // Of .js Node judges by the package it is in.
      const files = { [name]: name.endsWith("json") ? json : `export default ${json}` };
      const folder = folderOf({ ...files, "package.json": '{"type":"module"}' });
      expect(await readConfig(folder)).toEqual({ file: name, config });
    },
  );

  test("may be missing, unless it is named", async () => {
    const folder = folderOf();
    expect(await readConfig(folder)).toBeUndefined();
    await expect(readConfig(folder, "my.json")).rejects.toThrow("There is no config file my.json");
  });

  test("may lie elsewhere, and finds its jobs from there", async () => {
    const folder = folderOf({ "deploy/my.json": '{"jobs":"../work"}' });
    expect(await readConfig(folder, "deploy/my.json")).toEqual({
      file: "deploy/my.json",
      config: { jobs: join(folder, "work") },
    });
  });

  test("is one of two only by name", async () => {
    const files = { "qless.config.mjs": "export default {}", "qless.config.json": "{}" };
    await expect(readConfig(folderOf(files))).rejects.toThrow(
      "There are qless.config.mjs and qless.config.json: keep one, or say which with --config",
    );
  });

  test.each([
    ['{ "queue": "a" }', 'Unknown option "queue" in qless.config.json. Did you mean "queues"?'],
    [
      '{ "log": { "lvel": 1 } }',
      'Unknown option "log.lvel" in qless.config.json. Did you mean "log.level"?',
    ],
    [
      '{ "__proto__": 1 }',
      /^Unknown option "__proto__" in qless.config.json. Known options: url, namespace,/,
    ],
    ['{ "url": 5 }', "url of qless.config.json must be a text, not a number"],
    ['{ "url": "" }', "url of qless.config.json must be a text, not an empty text"],
    [
      '{ "queues": ["a", 5] }',
      "queues of qless.config.json must be a name or a list of names, not this list",
    ],
    ['{ "concurrency": "5" }', "concurrency of qless.config.json must be a number, not this text"],
    [
      '{ "order": "random" }',
      "order of qless.config.json must be one of ordered, round-robin, weighted, not this text",
    ],
    [
      '{ "weights": { "a": "3" } }',
      "weights of qless.config.json must be an object of numbers by queue, not this object",
    ],
    [
      '{ "log": "debug" }',
      "log of qless.config.json must be an object with level and format, not this text",
    ],
    [
      '{ "log": { "level": "loud" } }',
      /^log.level of qless.config.json must be one of debug, info,/,
    ],
    ["[]", "qless.config.json must hold an object of settings"],
    [
      '{\n  "url": "redis://:secret@host"\n  "queues": 1 }',
      "qless.config.json is not JSON from line 3 on",
    ],
  ])("is refused with a sentence: %s", async (text, sentence) => {
    const told = await refusal("qless.config.json", text);
    expect(told).toMatch(sentence);
    expect(told).not.toContain("secret");
  });

  test("that is a module must export it, and load", async () => {
    expect(await refusal("qless.config.mjs", "export const config = {}")).toBe(
      "qless.config.mjs has no config: export default defineConfig({ ... })",
    );
    expect(await refusal("qless.config.mjs", "throw new Error('no good')")).toBe(
      "qless.config.mjs could not be loaded: Error: no good",
    );
  });
});
