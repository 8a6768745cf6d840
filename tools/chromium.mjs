/** Where the browser is that tests of the web interface and screenshots use. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** The path of the system's Chromium, or of what CHROMIUM names; undefined if there is none. */
export function findChromium() {
  const given = process.env.CHROMIUM;
  if (given !== undefined && given !== "") return existsSync(given) ? given : undefined;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path));
}

export function chromiumPath() {
  const path = findChromium();
  if (path === undefined)
    throw new Error("Chromium is not installed: install the package chromium");
  return path;
}
