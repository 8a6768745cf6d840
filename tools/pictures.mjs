/**
 * Writes the pictures of the README into docs/pictures/: the overview of the demonstration after a
 * minute, in light and dark. With `--all` there are more in screenshots/, to look at: the pages that
 * matter, at desktop and phone width.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { chromiumPath } from "./chromium.mjs";

/** How long the shop is open before the picture, in milliseconds; curves need some looks. */
const OPEN_MS = Number(process.env.OPEN_MS ?? 75_000);
const WIDE = { width: 1280, height: 880 };
const PHONE = { width: 390, height: 844 };
const PAGES = ["", "queues/printing", "failures", "workers", "recurring", "tags", "tracked", "log"];

const root = fileURLToPath(new URL("..", import.meta.url));
const data = mkdtempSync(join(tmpdir(), "qless-pictures-"));
const demo = spawn(process.execPath, [`${root}dist/cli/qless.js`, "demo", "--port", "4974"], {
  cwd: data,
  stdio: ["ignore", "pipe", "inherit"],
});

/** All that it says is read: who is not listened to any more ends. */
const address = new Promise((resolve, reject) => {
  let text = "";
  demo.stdout.on("data", (chunk) => {
    text += chunk;
    const found = /Open +(\S+)/.exec(text)?.[1];
    if (found !== undefined) resolve(found);
  });
  demo.once("exit", () => reject(new Error("The demonstration has ended")));
});

async function openPage(browser, viewport, colorScheme) {
  const page = await (await browser.newContext({ viewport, colorScheme })).newPage();
  page.setDefaultTimeout(20_000);
  return page;
}

async function shown(page, url) {
  await page.goto(url);
  await page.locator("main h1").waitFor();
  await page.locator("main .loading").first().waitFor({ state: "detached" });
}

async function more(browser, ui) {
  mkdirSync(`${root}screenshots`, { recursive: true });
  for (const [size, viewport] of Object.entries({ desktop: WIDE, phone: PHONE })) {
    const page = await openPage(browser, viewport, "light");
    for (const path of PAGES) {
      await shown(page, `${ui}#/${path}`);
      await page.waitForTimeout(2500);
      const name = path === "" ? "overview" : path.replace("/", "-");
      await page.screenshot({
        path: `${root}screenshots/demo-${name}-${size}.png`,
        fullPage: true,
      });
    }
  }
}

try {
  const ui = await address;
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox"] });
  const light = await openPage(browser, WIDE, "light");
  const dark = await openPage(browser, WIDE, "dark");
  for (const page of [light, dark]) await shown(page, ui);
  await light.waitForTimeout(OPEN_MS);
  mkdirSync(`${root}docs/pictures`, { recursive: true });
  const pictures = `${root}docs/pictures`;
  await light.screenshot({ path: `${pictures}/overview.png`, fullPage: true });
  await dark.screenshot({ path: `${pictures}/overview-dark.png`, fullPage: true });
  if (process.argv.includes("--all")) await more(browser, ui);
  await browser.close();
} finally {
  demo.kill("SIGINT");
  if (demo.exitCode === null) await once(demo, "exit");
  rmSync(data, { recursive: true });
}
