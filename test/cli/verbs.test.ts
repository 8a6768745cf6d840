import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { VERBS } from "../../src/cli/verbs/index.ts";
import { ROWS } from "./rows/index.ts";
import { folderOf, start } from "./support.ts";

/** Verbs that have tests of their own, since they run until they are told to stop, or look at servers. */
const ELSEWHERE = ["work", "serve", "demo", "top", "tail", "doctor"];
const tabled = VERBS.map(({ name }) => name).filter((name) => !ELSEWHERE.includes(name));

test("every verb is run with good and with bad input", () => {
  const lacking = tabled.filter((name) => {
    const codes = (ROWS[name] ?? []).map(({ code = 0 }) => code);
    return !codes.includes(0) || codes.every((code) => code === 0);
  });
  expect(lacking).toEqual([]);
  expect(Object.keys(ROWS).filter((name) => !tabled.includes(name))).toEqual([]);
});

describe("help", () => {
  test.each(VERBS.map(({ name }) => name))("of %s has its flags and an example", async (name) => {
    const help = start([...name.split(" "), "--help"]);
    expect(await help.code()).toBe(0);
    const verb = VERBS.find((one) => one.name === name)!;
    for (const example of verb.examples) expect(help.stdout).toContain(`  ${example}\n`);
    for (const { flag } of verb.flags ?? []) expect(help.stdout).toContain(flag.split(" ")[0]);
    expect(verb.examples.length).toBeGreaterThan(0);
  });

  test.each([
    ["help put", "Usage: qless put "],
    ["help recur put", "Usage: qless recur put "],
    ["recur help put", "Usage: qless recur put "],
    ["recur help", "Usage: qless recur "],
    ["help", "Usage: qless "],
    ["", "Usage: qless "],
  ])("is there to be asked for: qless %s", async (words, first) => {
    const help = start(words === "" ? [] : words.split(" "));
    expect(await help.code()).toBe(0);
    expect(help.stdout.startsWith(first)).toBe(true);
  });

  test.each([
    ["help qeues", 'There is no verb "qeues": did you mean queues?'],
    ["help recur nxt", 'There is no verb "recur nxt": did you mean recur next?'],
    ["recur help nxt", 'There is no verb "recur nxt": did you mean recur next?'],
  ])("of a verb that there is not names the nearest: qless %s", async (words, sentence) => {
    const help = start(words.split(" "));
    expect(await help.code()).toBe(2);
    expect(help.stderr).toBe(`qless: ${sentence}\n`);
  });
});

describe("a file that there is not", () => {
  const looking = [["queues"], ["get", "a"], ["recur", "list"], ["recur", "next", "a"]];

  test.each(looking)("is not made by looking into it: %s %s", async (...words) => {
    const cwd = folderOf();
    const verb = start([...words, "--url", "sqlite:none.db"], { cwd });
    expect(await verb.code()).toBe(2);
    expect(verb.stderr).toBe(
      "qless: There is no file none.db: say where the queues are with --url or QLESS_URL\n",
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("is not needed to tell when an expression comes round", async () => {
    const cwd = folderOf();
    const verb = start(["recur", "next", "0 0 1 1 *", "--url", "sqlite:none.db"], { cwd });
    expect(await verb.code()).toBe(0);
    expect(verb.stdout).toMatch(/^\d{4}-01-01T00:00:00\.000Z/);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
