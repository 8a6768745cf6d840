import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, vi } from "vitest";
import type { ServeOptions } from "../../src/http/server.ts";
import { chromiumPath } from "../../tools/chromium.mjs";
import { openClient, PLACES, type Place } from "../client/every-client.ts";
import { type Bench, served } from "../http/support.ts";

export const UI = fileURLToPath(new URL("../../dist/ui", import.meta.url));

/** A server with the web interface, and pages that look at it. */
export interface Stage extends Bench {
  /** Opens a page at a place of the interface, such as `queues/mail?state=failed`. */
  look(place?: string, options?: BrowserContextOptions): Promise<Page>;
}

export type OpenStage = (options?: ServeOptions) => Promise<Stage>;

type Tests = (open: OpenStage, place: Place) => void;

let browser: Browser | undefined;

/** Runs the tests in a real browser, on both engines. No page may break its policy or throw. */
export function everyStage(name: string, tests: Tests): void {
  staged(name, tests, PLACES);
}

/** The same on one engine, for what hardly any engine could make different; on both in the long run. */
export function oneStage(name: string, tests: Tests): void {
  staged(name, tests, process.env.BROWSER_ENGINES === "all" ? PLACES : PLACES.slice(0, 1));
}

/** One browser does for a file. */
function staged(name: string, tests: Tests, places: readonly Place[]): void {
  // Other files may keep the machine busy meanwhile.
  vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });
  describe(name, () => {
    beforeAll(async () => {
      browser = await launched();
    });
    afterAll(() => browser?.close());
    describe.each(places)("(%s)", (place) => {
      tests((options) => openStage(place, options), place);
    });
  });
}

export const launched = () =>
  chromium.launch({ executablePath: chromiumPath(), args: ["--no-sandbox", "--disable-gpu"] });

async function openStage(place: Place, options: ServeOptions = {}): Promise<Stage> {
  const client = await openClient(place, { name: "server" });
  onTestFinished(() => client.close());
  const bench = await served(client, { ui: UI, ...options });
  const look = async (where = "", context: BrowserContextOptions = {}) => {
    const { page, wrong } = await newPage(context);
    onTestFinished(() => expect(wrong, "what the browser complained of").toEqual([]));
    await page.goto(`${bench.url}/ui/#/${where}`);
    return page;
  };
  return Object.assign(bench, { look });
}

/** A page of its own, and what the browser says against it. */
async function newPage(options: BrowserContextOptions) {
  const context = await browser!.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(25_000);
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("console", (message) => {
    // A refusal is an answer like any other; the browser notes it all the same.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) {
      wrong.push(message.text());
    }
  });
  return { page, wrong };
}

/** The next job of a queue, as a worker gets it. */
export async function take({ client }: Bench, queue: string) {
  const [job] = await client.queue(queue).pop({ count: 1 });
  if (job === undefined) throw new Error(`There is nothing in ${queue}`);
  return job;
}

/** Presses the button of that name in the dialog that is open. */
export const inDialog = (page: Page) => page.locator("dialog[open]");

export async function fill(page: Page, label: string, text: string): Promise<void> {
  await inDialog(page).getByLabel(label, { exact: false }).first().fill(text);
}

export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page
    .getByRole("button", { name, exact: typeof name === "string" })
    .first()
    .click();
}

/** Confirms the dialog with its last button, and waits until it has gone. */
export async function confirmDialog(page: Page, name: string | RegExp): Promise<void> {
  await inDialog(page).getByRole("button", { name }).click();
  await inDialog(page).waitFor({ state: "detached" });
}
