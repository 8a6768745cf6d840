import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { setScene } from "./scene.ts";
import { everyStage, oneStage, type Stage, UI } from "./support.ts";

/** Jobs in one queue: a slice by default, a million by `npm run test:ui-million`. */
const MANY = Number(process.env.UI_JOBS ?? 20_000);
const PAGE_MS = 500;
const FIRST_MS = 1000;
const TRIES = 20;
/**
 * On a machine that is busy with other tests the clock tells more of these than of the page. There it
 * may take so many times as long as next to nothing does in the same moment.
 */
const TIMES = 6;

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

/** Milliseconds that a page took, and those of the next to nothing beside it. */
interface Timed {
  ms: number;
  bare: number;
}

/** Tries until it was quick enough, by the clock or beside the other, and tells of the best. */
async function best(limit: number, measure: () => Promise<Timed>): Promise<string> {
  const tries: Timed[] = [];
  const isQuick = ({ ms, bare }: Timed) => ms < limit || ms < TIMES * bare;
  while (tries.length < TRIES && !tries.some(isQuick)) tries.push(await measure());
  const { ms, bare } = tries.find(isQuick) ?? tries.toSorted((a, b) => a.ms - b.ms)[0]!;
  return isQuick({ ms, bare }) ? "" : `${Math.round(ms)} ms, and ${Math.round(bare)} for nothing`;
}

async function lasted(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const goTo = async (page: Page, place: string, shown: Locator) => {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
  await shown.waitFor();
};

/** From the change of the address to what is looked for, beside that to a page without jobs. */
async function timed(page: Page, place: string, shown: string): Promise<Timed> {
  const tags = page.getByRole("heading", { level: 1, name: "Tags" });
  const bare = await lasted(() => goTo(page, "tags", tags));
  const text = page.locator("main").getByText(shown).first();
  return { ms: await lasted(() => goTo(page, place, text)), bare };
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
    const cold = async (path: string, shown: (fresh: Page) => Locator) => {
      const context = await page.context().browser()!.newContext();
      const fresh = await context.newPage();
      fresh.on("request", (request) => asked.push(request.url()));
      const ms = await lasted(async () => {
        await fresh.goto(`${stage.url}${path}`);
        await shown(fresh).waitFor();
      });
      await context.close();
      return ms;
    };
    const slow = await best(FIRST_MS, async () => ({
      bare: await cold("/healthz", (fresh) => fresh.getByText("ok")),
      ms: await cold("/ui/", (fresh) => fresh.getByRole("link", { name: "webhooks", exact: true })),
    }));
    expect(asked.filter((url) => !url.startsWith(stage.url))).toEqual([]);
    expect(slow).toBe("");
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
      const took = await best(PAGE_MS, () => timed(page, where, text));
      if (took !== "") slow.push(`${where}: ${took}`);
    }
    expect(slow).toEqual([]);
  }, 900_000);
});
