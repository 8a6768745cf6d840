import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadJobs } from "../../src/worker/jobs-folder.ts";
import { folderOf } from "../cli/support.ts";

const JOB = "export default () => 1;";

async function klasses(files: Record<string, string>): Promise<string[]> {
  return [...(await loadJobs(folderOf(files))).jobs.keys()];
}

/** The sentence of a refusal, with the folder as `.`. */
async function refusal(files: Record<string, string>): Promise<string> {
  const folder = folderOf(files);
  return loadJobs(folder).then(
    () => expect.fail("It was loaded"),
    (error: Error) => error.message.replaceAll(folder, "."),
  );
}

describe("a folder of jobs", () => {
  test("names klasses by the places of files", async () => {
    const files = {
      "a.js": JOB,
      "email/send.mjs": JOB,
      "email/x/y.cjs": "module.exports = () => 1",
    };
    expect(await klasses(files)).toEqual(["a", "email.send", "email.x.y"]);
  });

  test("passes over what is no job", async () => {
    const files = {
      "a.js": JOB,
      ".hidden.js": "throw 1",
      ".git/a.js": "throw 1",
      "node_modules/x/index.js": "throw 1",
      "a.test.js": "throw 1",
      "a.spec.mjs": "throw 1",
      "a.d.ts": "throw 1",
      "a.d.mts": "throw 1",
      "a.js.map": "{}",
      "readme.md": "",
    };
    expect(await klasses(files)).toEqual(["a"]);
  });

  test("lets a module name its klass, its options, or several handlers", async () => {
    const folder = folderOf({
      "a.mjs": `export const klass = "email/send"; export const options = { retries: 3 }; ${JOB}`,
      "b.mjs":
        "export const handlers = { one: () => 1, two: () => 2 }; export const options = { cutoff: '5s' };",
      "c.cjs": "exports.handlers = { three: () => 3 };",
      "d.cjs": "exports.__esModule = true; exports.default = () => 4; exports.klass = 'four';",
    });
    const { jobs } = await loadJobs(folder);
    const found = [...jobs].map(([klass, { options }]) => [klass, options]);
    expect(found).toEqual([
      ["email/send", { retries: 3 }],
      ["one", { cutoff: "5s" }],
      ["two", { cutoff: "5s" }],
      ["three", {}],
      ["four", {}],
    ]);
    expect(jobs.get("four")!.handler({} as never, {} as never)).toBe(4);
  });

  test("may be one module", async () => {
    const file = join(folderOf({ "only.mjs": JOB }), "only.mjs");
    expect([...(await loadJobs(file)).jobs.keys()]).toEqual(["only"]);
  });

  test("refuses two files for one klass, and names both", async () => {
    expect(await refusal({ "a/b.mjs": JOB, "a.b.mjs": JOB })).toBe(
      "a.b.mjs and a/b.mjs are both for klass a.b: keep one".replaceAll(/a[./]b\.mjs/g, "./$&"),
    );
  });

  test("follows links to files within, and none that lead out or to a folder", async () => {
    const outside = folderOf({ "secret.js": "throw 1", "deep/b.js": "throw 1" });
    const folder = folderOf({ "..data/real.mjs": JOB, "sub/a.mjs": JOB });
    symlinkSync(join(folder, "..data/real.mjs"), join(folder, "within.mjs"));
    symlinkSync(join(outside, "secret.js"), join(folder, "out.js"));
    symlinkSync(outside, join(folder, "out"));
    symlinkSync(folder, join(folder, "circle"));
    symlinkSync(join(folder, "nothing"), join(folder, "dead.js"));
    const { jobs, skipped } = await loadJobs(folder);
    expect([...jobs.keys()]).toEqual(["sub.a", "within"]);
    const names = ["circle", "dead.js", "out", "out.js"].map((name) => join(folder, name));
    expect(skipped.toSorted()).toEqual(names);
  });

  test("may itself be a link", async () => {
    const folder = folderOf({ "releases/7/a.mjs": JOB });
    symlinkSync(join(folder, "releases/7"), join(folder, "current"));
    expect([...(await loadJobs(join(folder, "current"))).jobs.keys()]).toEqual(["a"]);
  });

  test.each<[string, Record<string, string>]>([
    ["There are no jobs in .: it has no .js, .mjs, .cjs, .ts or .mts file", { "readme.md": "" }],
    [
      "./a.mjs could not be loaded: Error: no good",
      { "a.mjs": "throw new Error('no good\\nmore')" },
    ],
    [
      "./a.mjs has no handler: export a function as default, or handlers by klass; what is no job " +
        "belongs outside of the folder",
      { "a.mjs": "export const x = 1" },
    ],
    [
      "./a.mjs exports handlers, so it can have no default",
      { "a.mjs": `export const handlers = {}; ${JOB}` },
    ],
    [
      "handlers of ./a.mjs must be an object of functions by klass",
      { "a.mjs": "export const handlers = 5" },
    ],
    [
      './a.mjs: The handler of "k" must be a function',
      { "a.mjs": "export const handlers = { k: 5 }" },
    ],
    ["klass of ./a.mjs must be a text", { "a.mjs": `export const klass = 5; ${JOB}` }],
    [
      'Unknown option "retry" of ./a.mjs. Did you mean "retries"?',
      { "a.mjs": `export const options = { retry: 5 }; ${JOB}` },
    ],
    [
      "./a.mjs: retries of a must be a whole number, 0 or more",
      { "a.mjs": `export const options = { retries: -1 }; ${JOB}` },
    ],
    [
      './a.mjs: cutoff of a must be milliseconds or a text such as "30s" or "1h 30m", not "soon"',
      { "a.mjs": `export const options = { cutoff: "soon" }; ${JOB}` },
    ],
    [
      "whenSpent of ./a.mjs must be keep or discard",
      { "a.mjs": `export const options = { whenSpent: 1 }; ${JOB}` },
    ],
    [
      "use of ./a.mjs must be a list of functions",
      { "a.mjs": `export const options = { use: [1] }; ${JOB}` },
    ],
    [
      "./1/2/3/4/5/6/7/8 lies too deep: jobs may be 8 folders deep",
      { "1/2/3/4/5/6/7/8/a.mjs": JOB },
    ],
  ])("refuses with a sentence: %s", async (sentence, files) => {
    expect(await refusal(files)).toBe(sentence);
  });

  test("refuses more modules than anybody has", async () => {
    const many = Array.from({ length: 1001 }, (_, i) => [`j${i}.mjs`, JOB]);
    expect(await refusal(Object.fromEntries(many))).toBe(
      "There are more than 1000 modules in .: is it the right folder?",
    );
  });

  test("refuses a place where nothing is", async () => {
    await expect(loadJobs("./nowhere")).rejects.toThrow(
      "There is no ./nowhere: jobs must be a folder of modules, or one module",
    );
    const text = join(folderOf({ "a.txt": "" }), "a.txt");
    await expect(loadJobs(text)).rejects.toThrow(
      `${text} is neither a folder nor a module of jobs`,
    );
  });
});
