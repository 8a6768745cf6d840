import ts from "typescript";
import { REFUSALS } from "../src/core/refuse.ts";
import { filesIn, nodesOf, parse } from "./sources.ts";

/**
 * What a command can lead to, found by reading: from its declaration to everything that this names, in
 * its own file and in those it imports from. More may be found than can happen, never less.
 */

/** A declaration at the top of a file: its words, and what it names of other declarations. */
interface Declared {
  texts: string[];
  names: string[];
  /** The second arguments of `announceTracked`. */
  tracked: string[];
}

interface File {
  declared: Map<string, Declared>;
  /** Imported names, and where each comes from. */
  imported: Map<string, { file: string; name: string }>;
}

const files = new Map<string, File>();
for (const path of filesIn("src/core")) files.set(path, readFile(path));

function readFile(path: string): File {
  const file: File = { declared: new Map(), imported: new Map() };
  for (const statement of parse(path).statements) {
    if (ts.isImportDeclaration(statement)) readImport(path, statement, file.imported);
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined) {
      file.declared.set(statement.name.text, declaredIn(statement));
    }
    if (!ts.isVariableStatement(statement)) continue;
    for (const one of statement.declarationList.declarations) {
      if (ts.isIdentifier(one.name)) file.declared.set(one.name.text, declaredIn(one));
    }
  }
  return file;
}

function readImport(path: string, node: ts.ImportDeclaration, into: File["imported"]): void {
  const names = node.importClause?.namedBindings;
  if (names === undefined || !ts.isNamedImports(names)) return;
  const target = (node.moduleSpecifier as ts.StringLiteral).text;
  const file = new URL(target, `file:///${path}`).pathname.slice(1);
  for (const { name, propertyName } of names.elements) {
    into.set(name.text, { file, name: (propertyName ?? name).text });
  }
}

function declaredIn(node: ts.Node): Declared {
  const found: Declared = { texts: [], names: [], tracked: [] };
  for (const inner of nodesOf(node)) {
    if (ts.isStringLiteralLike(inner) || ts.isTemplateHead(inner)) found.texts.push(inner.text);
    if (ts.isIdentifier(inner)) found.names.push(inner.text);
    if (!ts.isCallExpression(inner) || inner.expression.getText() !== "announceTracked") continue;
    const event = inner.arguments[1];
    if (event !== undefined && ts.isStringLiteral(event)) found.tracked.push(event.text);
  }
  return found;
}

/** Every declaration that can be reached from the command in that file. */
function reachableFrom(path: string): Declared[] {
  const seen = new Set<string>();
  const found: Declared[] = [];
  const visit = (file: string, name: string) => {
    const declared = files.get(file)?.declared.get(name);
    if (declared === undefined || seen.has(`${file} ${name}`)) return;
    seen.add(`${file} ${name}`);
    found.push(declared);
    for (const next of declared.names) {
      const from = files.get(file)?.imported.get(next);
      visit(from?.file ?? file, from?.name ?? next);
    }
  };
  for (const name of files.get(path)?.declared.keys() ?? []) visit(path, name);
  return found;
}

const fileOf = (command: string) => `src/core/commands/${command.replaceAll(".", "-")}.ts`;

/** The codes that the command may be refused with. */
export function refusalsOf(command: string): string[] {
  const first = reachableFrom(fileOf(command)).flatMap(({ texts }) =>
    texts.map((text) => text.split(" ")[0]),
  );
  return REFUSALS.filter((code) => first.includes(code));
}

/** The events that the command may announce: those of the log, and the channels of tracked jobs. */
export function eventsOf(command: string): string[] {
  const declared = reachableFrom(fileOf(command));
  const logged = declared.flatMap(({ texts }) =>
    texts.flatMap((text) => /"event":"(\w+)/.exec(text)?.[1] ?? []),
  );
  return [...new Set([...logged, ...declared.flatMap(({ tracked }) => tracked)])].toSorted();
}
