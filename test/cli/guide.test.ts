import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { CRITERIA } from "../../src/cli/selection.ts";
import { PLACE_FLAGS, type Verb } from "../../src/cli/verb.ts";
import { VERBS } from "../../src/cli/verbs/index.ts";
import { blocksOf, headingsOf, sectionOf, tableOf } from "../sections.ts";
import { read } from "../sources.ts";

/** The guide of the command line says what the table of verbs does. */

const guide = read("docs/guides/cli.md");
const isCriterion = ({ flag }: { flag: string }) => CRITERIA.some((one) => one.flag === flag);
const hasCriteria = ({ flags = [] }: Verb) => flags.filter(isCriterion).length === CRITERIA.length;
const namesOf = (rows: string[][]) => rows.map(([name]) => name!.replaceAll("`", ""));

test("has a section for each verb, and none for another", () => {
  const expected = VERBS.map(({ name }) => name);
  expect(headingsOf(guide, 3).toSorted()).toEqual(expected.toSorted());
});

describe.each(VERBS)("the section of $name", (verb) => {
  const section = sectionOf(guide, `### ${verb.name}`);

  test("has its usage, what it is for, and its examples", () => {
    const words = (verb.words ?? []).map(({ word }) => ` ${word}`).join("");
    expect(section).toContain(`\n\`qless ${verb.name}${words}\`\n`);
    expect(section).toContain(verb.about);
    expect(blocksOf(section, "sh")[0]).toBe(`${verb.examples.join("\n")}\n`);
  });

  test("has a row for each word and flag of its own", () => {
    expect(namesOf(tableOf(section, "word"))).toEqual((verb.words ?? []).map(({ word }) => word));
    // Those of workers are in their own guide.
    if (verb.name === "work") return;
    const isOwn = (flag: { flag: string }) => !hasCriteria(verb) || !isCriterion(flag);
    const own = (verb.flags ?? []).filter(isOwn).map(({ flag }) => flag);
    expect(namesOf(tableOf(section, "flag"))).toEqual(own);
    expect(section.includes("(#which-jobs)")).toBe(hasCriteria(verb));
  });
});

test("has all flags of work in the guide of workers", () => {
  const { flags = [] } = VERBS.find(({ name }) => name === "work")!;
  const workers = sectionOf(read("docs/guides/workers.md"), "## Settings");
  const missing = flags
    .map(({ flag }) => flag.split(" ")[0]!)
    .filter((flag) => !workers.includes(flag));
  expect(missing.filter((flag) => flag !== "--config")).toEqual([]);
  expect(read("docs/guides/workers.md")).toContain("`--config`");
});

test("has the flags that all verbs have, and the criteria", () => {
  const everywhere = namesOf(tableOf(sectionOf(guide, "## Everywhere"), "flag"));
  expect(everywhere).toEqual(PLACE_FLAGS.map(({ flag }) => flag));
  const criteria = namesOf(tableOf(sectionOf(guide, "## Which jobs"), "flag"));
  expect(criteria).toEqual(CRITERIA.map(({ flag }) => flag));
});

test("has every exit code", () => {
  const codes = tableOf(sectionOf(guide, "## Exit codes"), "code").map(([code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT));
});
