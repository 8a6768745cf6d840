import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { setScene } from "./scene.ts";
import { everyStage, oneStage, type Stage, UI } from "./support.ts";

/** Jobs in one queue: a slice by default, a million by `npm run test:ui-million`. */
const MANY = Number(process.env.UI_JOBS ?? 20_000);
const PAGE_MS = 500;
const FIRST_MS = 1000;
const TRIES = 20;

async function fill({ client }: Stage, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    const size = Math.min(1000, count - from);
    const jobs = Array.from({ length: size }, (_, i) => ({
      ...{ klass: `k${i % 7}`, queue: "crowd", data: { n: from + i }, jid: `c${from + i}` },
      tags: [`t${i % 50}`],
    }));
    await client.putMany(jobs);
  }
}

/** Milliseconds from the change of the address to what is looked for. */
async function timed(page: Page, place: string, shown: string): Promise<number> {
  await page.evaluate(`location.hash = "#/tags"`);
  await page.getByRole("heading", { level: 1, name: "Tags" }).waitFor();
  const began = performance.now();
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
  await page.locator("main").getByText(shown).first().waitFor();
  return performance.now() - began;
}

oneStage("budget", (open) => {
  test("keeps the JavaScript below 150 kB", () => {
    const files = readdirSync(`${UI}/assets`).filter((file) => file.endsWith(".js"));
    const sizes = files.map((file) => gzipSync(readFileSync(`${UI}/assets/${file}`)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
  });

  test("shows the first page within a second, and asks nobody else", async () => {
    const stage = await open();
    await setScene(stage.client, 1);
    const page = await stage.look("tags");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const cold = async () => {
      const context = await page.context().browser()!.newContext();
      const fresh = await context.newPage();
      fresh.on("request", (request) => asked.push(request.url()));
      const began = performance.now();
      await fresh.goto(`${stage.url}/ui/`);
      await fresh.getByRole("link", { name: "webhooks", exact: true }).waitFor();
      const ms = performance.now() - began;
      await context.close();
      return ms;
    };
    // A machine that is busy with something else says nothing about the page: the best counts.
    const times: number[] = [];
    while (times.length < TRIES && !times.some((ms) => ms < FIRST_MS)) times.push(await cold());
    expect(asked.filter((url) => !url.startsWith(stage.url))).toEqual([]);
    expect(Math.min(...times)).toBeLessThan(FIRST_MS);
  });
});

everyStage("budget", (open) => {
  test(`shows pages within ${PAGE_MS} ms with ${MANY} jobs in a queue`, async () => {
    const stage = await open();
    await fill(stage, MANY);
    const page = await stage.look("tags");
    await page.getByText("t7").first().waitFor({ timeout: 30_000 });
    const places: [string, string][] = [
      ["", "crowd"],
      ["queues/crowd", "c0"],
      ["queues/crowd?order=newest", `c${MANY - 1}`],
      ["jobs/c17", "behind"],
      ["search?q=tag%3At7%20order%3Aoldest", "c7"],
      ["search?q=queue%3Acrowd%20klass%3Ak3", "k3"],
    ];
    const slow: string[] = [];
    for (const [where, shown] of places) {
      const text = shown === "behind" ? "come before it" : shown;
      let best = Number.POSITIVE_INFINITY;
      for (let i = 0; i < TRIES && best > PAGE_MS; i++) {
        best = Math.min(best, await timed(page, where, text));
      }
      if (best > PAGE_MS) slow.push(`${where}: ${Math.round(best)} ms`);
    }
    expect(slow).toEqual([]);
  }, 900_000);
});
