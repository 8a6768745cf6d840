import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".woff2": "font/woff2",
  ".map": "application/json",
};

export interface StaticFile {
  bytes: Buffer;
  type: string;
  /** Whether its name changes with its contents, so that it may be kept for ever. */
  isHashed: boolean;
}

/** A file of a folder; a path without an ending is a page of the one program there is. */
export async function fileOf(folder: string, path: string): Promise<StaticFile | undefined> {
  const ending = extname(path);
  const type = TYPES[ending === "" ? ".html" : ending];
  if (type === undefined || path.includes("\0")) return undefined;
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, ending === "" ? "index.html" : path));
    if (!file.startsWith(root + sep)) return undefined;
    const isHashed = /[.-][A-Za-z0-9_-]{8,}\.\w+$/.test(path) && path.startsWith("assets/");
    return { bytes: await readFile(file), type, isHashed };
  } catch {
    return undefined;
  }
}

/** What is shown where the web interface was not built. */
export const PLAIN_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>qless</title>
<h1>qless</h1>
<p>The server runs. Its web interface is not part of this build.</p>
<p>The interface for programs is described in <a href="../api/v1/openapi.json">openapi.json</a>;
<a href="../queues">queues</a> counts jobs.</p>
</html>
`;
