import { expect, test } from "vitest";
import { ROUTES } from "../../src/http/table.ts";
import { filesIn, read } from "../sources.ts";

const sources = filesIn("src/ui").filter((path) => /\.tsx?$/.test(path));

/** Paths of the API that the interface asks, without their beginning. */
const asked = sources.flatMap((path) => {
  const texts = [...read(path).matchAll(/`(?:\$\{V1\}|\/api\/v1)(\/[^`"?$]*)`/g)];
  const named = [...read(path).matchAll(/(?:pathTo|\bat)\(\s*"([^"]*)"/g)];
  const deeds = path.endsWith("deeds.ts")
    ? [...read(path).matchAll(/\b(?:post|put|drop)\(\s*"([^"]*)"/g)]
    : [];
  return [...texts, ...named, ...deeds].map(([, text]) => text!);
});

test("the interface asks for nothing that the server has no route for", () => {
  const known = new Set(ROUTES.map(({ path }) => path.replace("/api/v1", "")));
  expect(asked.length).toBeGreaterThan(45);
  expect([...new Set(asked)].filter((path) => !known.has(path))).toEqual([]);
});

test("the interface writes no markup and runs no text", () => {
  const words =
    /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|\beval\(|new Function|document\.write/;
  expect(sources.filter((path) => words.test(read(path)))).toEqual([]);
});

test("the interface has no style in its markup", () => {
  expect(sources.filter((path) => /\sstyle=/.test(read(path)))).toEqual([]);
});
