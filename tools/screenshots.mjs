/**
 * Writes pictures of every page of the web interface into screenshots/: at desktop and phone width, in
 * light and dark. Give names of pages to write those alone: `npm run screenshots -- job queue`.
 */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { runnerImport } from "vite";
import { serve } from "../dist/http/index.js";
import { connect } from "../dist/index.js";
import { chromiumPath } from "./chromium.mjs";

const PAGES = {
  overview: "",
  queue: "queues/mail?state=waiting",
  "queue-failed": "queues/mail?state=failed",
  paused: "queues/reports",
  job: "jobs/clip-9",
  "job-failed": "jobs/bounced-3",
  "job-depends": "jobs/load",
  "job-waiting": "jobs/welcome-4711",
  failures: "failures",
  group: "failures/SmtpError",
  workers: "workers",
  worker: "workers/encoder-1",
  recurring: "recurring",
  search: "search?q=state%3Afailed%20tag%3Aacme%20since%3A1d",
  tags: "tags",
  tracked: "tracked",
  log: "log",
  config: "config",
};

const SIZES = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };
const folder = fileURLToPath(new URL("../screenshots", import.meta.url));
const ui = fileURLToPath(new URL("../dist/ui", import.meta.url));

async function pictures(browser, url, chosen) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport, colorScheme });
      const page = await context.newPage();
      for (const name of chosen) {
        await page.goto(`${url}ui/#/${PAGES[name]}`);
        await page.locator("main h1").waitFor();
        await page.locator("main .loading").first().waitFor({ state: "detached" });
        await page.waitForTimeout(900);
        await page.screenshot({
          path: `${folder}/${name}-${size}-${colorScheme}.png`,
          fullPage: true,
        });
      }
      await context.close();
    }
  }
}

async function move(client) {
  for (let i = 0; ; i++) {
    await client.queue("push").put("push.send", { live: i });
    if (i % 3 > 0) {
      const [job] = await client.engine.call("pop", ["push", "pusher-1", 1]);
      await client.engine.call("complete", [job[0], "pusher-1", "push", "{}"]);
    }
    await new Promise((resolve) => setTimeout(resolve, 400).unref());
  }
}

const wanted = process.argv.slice(2);
const chosen = wanted.length === 0 ? Object.keys(PAGES) : wanted;
const unknown = chosen.filter((name) => !(name in PAGES));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no page ${unknown[0]}; there are ${Object.keys(PAGES).join(", ")}\n`,
  );
  process.exit(1);
}
mkdirSync(folder, { recursive: true });
const { module } = await runnerImport("/test/browser/scene.ts", { configFile: false });
const client = await connect("sqlite::memory:", { namespace: "shop" });
await module.setScene(client, 13);
const served = await serve(client, { port: 0, ui, upkeep: false });
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox"] });
move(client).catch(() => undefined);
await pictures(browser, served.url, chosen);
await browser.close();
await served.stop();
process.exit(0);
