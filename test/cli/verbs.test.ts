import { describe, expect, test } from "vitest";
import { VERBS } from "../../src/cli/verbs/index.ts";
import { ROWS } from "./rows/index.ts";
import type { Row } from "./rows/row.ts";
import { everySite, type OpenSite, start } from "./support.ts";

/** Verbs that have tests of their own, since they run until they are told to stop, or look at servers. */
const ELSEWHERE = ["work", "serve", "top", "tail", "doctor"];
const tabled = VERBS.map(({ name }) => name).filter((name) => !ELSEWHERE.includes(name));

test("every verb is run with good and with bad input", () => {
  const lacking = tabled.filter((name) => {
    const codes = (ROWS[name] ?? []).map(({ code = 0 }) => code);
    return !codes.includes(0) || codes.every((code) => code === 0);
  });
  expect(lacking).toEqual([]);
  expect(Object.keys(ROWS).filter((name) => !tabled.includes(name))).toEqual([]);
});

async function play(open: OpenSite, verb: string, row: Row): Promise<void> {
  const site = await open(row.files ?? {});
  // The file is there before it is looked into.
  await site.client.queues();
  await row.before?.(site.client, site);
  const words = [...verb.split(" "), ...(row.words ?? [])];
  if (row.json !== undefined) words.push("--json");
  const { code, stdout, stderr } = await site.qless(words, row.input);
  expect({ code, stderr }).toEqual({ code: row.code ?? 0, stderr: stderrOf(row) });
  if (row.out !== undefined) expect(stdout).toMatch(row.out);
  if (row.json !== undefined) expect(JSON.parse(stdout)).toEqual(row.json);
  await row.after?.(site.client, site);
  expect(await site.client.maintenance.check()).toEqual([]);
}

/** What goes wrong is told in one line; else nothing is. */
function stderrOf({ error }: Row): unknown {
  if (error === undefined) return "";
  const sentence = typeof error === "string" ? `^qless: ${escaped(error)}\n$` : error.source;
  return expect.stringMatching(new RegExp(sentence));
}

everySite("the verb", (open) => {
  describe.each(tabled)("%s", (verb) => {
    test.each(ROWS[verb] ?? [])("$does", (row) => play(open, verb, row));
  });
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
});

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
