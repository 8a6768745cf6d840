/** A loader as tsx is one, for Nodes that load no TypeScript by themselves: `node --import`. */
import { register } from "node:module";

const hooks = `
  import { readFileSync } from "node:fs";
  import { fileURLToPath } from "node:url";
  import ts from ${JSON.stringify(import.meta.resolve("typescript"))};
  export async function load(url, context, next) {
    if (!/\\.m?ts$/.test(url)) return next(url, context);
    const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const text = readFileSync(fileURLToPath(url), "utf8");
    const { outputText: source } = ts.transpileModule(text, { compilerOptions: options });
    return { format: "module", source, shortCircuit: true };
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
