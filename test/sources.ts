import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** A file of the repository by its path from the root, `/` between folders. */
export const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const HIDDEN = new Set(["node_modules", "dist", ".git"]);

/** Every file below a folder, by its path from the root. */
export function filesIn(folder: string): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (HIDDEN.has(entry.name)) continue;
    if (entry.isDirectory()) found.push(...filesIn(path));
    else found.push(path);
  }
  return found;
}

export const isTypeScript = (path: string) => /\.tsx?$/.test(path);

/** A file's syntax tree. */
export function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(basename(path), read(path), ts.ScriptTarget.Latest, true);
}

/** Every node of a tree, parents before children. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  for (const child of children) yield* nodesOf(child);
}

/** What a file imports, types included: paths from the root, or names of packages. */
export function importsOf(path: string): string[] {
  const targets: string[] = [];
  for (const node of nodesOf(parse(path))) {
    const target = importedBy(node);
    if (target !== undefined) targets.push(target);
  }
  return targets.map((target) => (target.startsWith(".") ? resolved(path, target) : target));
}

function importedBy(node: ts.Node): string | undefined {
  const isStatic = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
  if (isStatic) return textOf(node.moduleSpecifier);
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return textOf(node.arguments[0]);
  }
  if (!ts.isImportTypeNode(node) || !ts.isLiteralTypeNode(node.argument)) return undefined;
  return textOf(node.argument.literal);
}

const textOf = (node: ts.Node | undefined) =>
  node !== undefined && ts.isStringLiteral(node) ? node.text : undefined;

const resolved = (from: string, target: string) =>
  relative(ROOT, join(ROOT, dirname(from), target)).replaceAll("\\", "/");

/** A function, as `file name`, and how many lines it takes. */
export interface Measured {
  name: string;
  lines: number;
}

/** Every function of a file, functions within functions included. */
export function functionsOf(path: string): Measured[] {
  const tree = parse(path);
  const line = (at: number) => tree.getLineAndCharacterOfPosition(at).line;
  const found: Measured[] = [];
  for (const node of nodesOf(tree)) {
    if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) continue;
    const lines = line(node.getEnd()) - line(node.getStart(tree)) + 1;
    found.push({ name: `${path} ${nameOf(node)}`, lines });
  }
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const holder = node.parent;
  const named = ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder);
  return named ? holder.name.getText() : ts.SyntaxKind[node.kind];
}
