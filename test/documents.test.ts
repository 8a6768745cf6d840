import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { headingsOf, quoted, sectionOf, tableOf } from "./sections.ts";
import { filesIn, ROOT, read } from "./sources.ts";

const texts = filesIn("docs").filter((path) => path.endsWith(".md"));
const documents = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...texts];

/** The anchors that a document can be linked at. */
function anchorsOf(path: string): string[] {
  const headings = [1, 2, 3, 4].flatMap((level) => headingsOf(read(path), level));
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

function isDeadLink(path: string, link: string): boolean {
  if (/^https?:/.test(link)) return false;
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? path : join(dirname(path), file);
  if (!existsSync(join(ROOT, target))) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

describe.each(documents)("%s", (path) => {
  test("has no dead links", () => {
    const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");
    expect(links.filter((link) => isDeadLink(path, link))).toEqual([]);
  });

  test("names files of the repository that exist", () => {
    const named = quoted(read(path)).filter((word) =>
      /^(src|test|tools|docs|bench)\/[\w./-]+\.\w+$/.test(word),
    );
    expect(named.filter((file) => !existsSync(join(ROOT, file)) && !/\/x\./.test(file))).toEqual(
      [],
    );
  });

  test("knows nothing of the machine it was written on", () => {
    expect(read(path)).not.toMatch(/\/(work|tmp|root|home|usr)\/|localhost:\d/);
  });
});

describe("decisions", () => {
  const decisions = documents.filter((path) => path.startsWith("docs/decisions/")).toSorted();

  test("are numbered without a gap, and say so in their title", () => {
    for (const [i, path] of decisions.entries()) {
      const number = String(i + 1).padStart(4, "0");
      expect(basename(path)).toMatch(new RegExp(`^${number}-[a-z0-9-]+\\.md$`));
      expect(read(path)).toMatch(new RegExp(`^# ${number}: \\S`));
    }
  });

  test("give context, decision, consequences and alternatives, in this order", () => {
    for (const path of decisions) {
      const parts = [...read(path).matchAll(/^\*\*(\w+)\.\*\*/gm)].map(([, part]) => part);
      expect(parts, path).toEqual(["Context", "Decision", "Consequences", "Alternatives"]);
    }
  });
});

describe("states.md", () => {
  const states = read("docs/states.md");
  const source = /export type State =([^;]+);/.exec(read("src/core/job.ts"))?.[1] ?? "";
  const declared = [...source.matchAll(/"(\w+)"/g)].map(([, state]) => state).toSorted();

  test("says where a job of each state is found", () => {
    const rows = tableOf(sectionOf(states, "## Where a job is found"), "state");
    expect(rows.map(([state]) => state).toSorted()).toEqual(declared);
  });

  test("draws each state, and no other", () => {
    const arrows = [...states.matchAll(/^ {2}(\S+) --> (\S+):/gm)];
    const drawn = new Set(arrows.flatMap(([, from, to]) => [from, to]));
    drawn.delete("[*]");
    expect([...drawn].toSorted()).toEqual(declared);
  });
});

test("architecture.md has a row for every room", () => {
  const rooms = [...new Set(filesIn("src").map((path) => `${dirname(path)}/`))];
  const text = read("docs/architecture.md");
  expect(rooms.filter((room) => room !== "src/" && !text.includes(`\`${room}\``))).toEqual([]);
});
