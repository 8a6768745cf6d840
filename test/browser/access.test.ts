import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, test } from "vitest";
import { setScene } from "./scene.ts";
import { inDialog, oneStage, press } from "./support.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const PAGES = [
  "",
  "queues/mail",
  "queues/nightly?state=recurring",
  "queues/reports",
  "jobs/clip-9",
  "jobs/load",
  "jobs/bounced-3",
  "jobs/nobody",
  "failures",
  "failures/SmtpError",
  "workers",
  "workers/encoder-1",
  "recurring",
  "search?q=state%3Afailed",
  "tags",
  "tracked",
  "log",
  "config",
];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

type Rules = "all" | "colours";

const RUN_ONLY: Record<Rules, string> = {
  all: "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']",
  colours: "{ type: 'rule', values: ['color-contrast'] }",
};

/** What WCAG 2 AA has against the page as it is. */
async function violations(page: Page, rules: Rules = "all"): Promise<string[]> {
  // Another place is still the same document.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe);
  const found = (await page.evaluate(
    `axe.run(document, { runOnly: ${RUN_ONLY[rules]}, resultTypes: ['violations'] }).then((r) => r.violations)`,
  )) as Violation[];
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

async function settled(page: Page): Promise<void> {
  await page.locator("main h1").waitFor();
  await page.locator("main .loading").first().waitFor({ state: "detached" });
}

/** Both widths and both colours, with all rules; and the colours of what only a wide screen shows. */
const LOOKS: readonly [string, Rules, BrowserContextOptions][] = [
  ["a wide screen in light", "all", { colorScheme: "light" }],
  ["a phone in dark", "all", { colorScheme: "dark", viewport: { width: 375, height: 700 } }],
  ["a wide screen in dark", "colours", { colorScheme: "dark" }],
];

oneStage("access", (open) => {
  test.each(LOOKS)(
    "axe finds nothing on any page, on %s",
    async (_, rules, look) => {
      const stage = await open();
      await setScene(stage.client, 1);
      const page = await stage.look("", look);
      for (const where of PAGES) {
        await page.goto(`${stage.url}/ui/#/${where}`);
        await settled(page);
        expect(await violations(page, rules), where).toEqual([]);
        const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(wider, `${where} is wider than the screen`).toBeLessThanOrEqual(0);
      }
    },
    120_000,
  );

  test("axe finds nothing in dialogs", async () => {
    const stage = await open();
    await setScene(stage.client, 1);
    const page = await stage.look("jobs/welcome-4711");
    for (const button of ["Put a copy", "Cancel", "Tags"]) {
      await press(page, button);
      await inDialog(page).waitFor();
      expect(await violations(page), button).toEqual([]);
      await page.keyboard.press("Escape");
      await inDialog(page).waitFor({ state: "detached" });
    }
    await page.keyboard.press("?");
    await inDialog(page).getByText("Next row, previous row").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test("everything is reached by keyboard", async () => {
    const stage = await open();
    await setScene(stage.client, 1);
    const page = await stage.look();
    await settled(page);
    await page.getByRole("link", { name: "mail", exact: true }).waitFor();
    const heading = (name: string) => page.getByRole("heading", { level: 1, name, exact: true });
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await heading("mail").waitFor();
    await page.locator(".job-list [data-row]").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("x");
    await page.getByText("1 job selected").waitFor();
    await page.keyboard.press("Enter");
    await heading("welcome-4711").waitFor();
    await page.locator("a[data-up]").waitFor();
    await page.keyboard.press("u");
    await heading("mail").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await heading("Failures").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("state:failed tag:acme");
    await page.keyboard.press("Enter");
    await heading("Search").waitFor();
    await page.getByRole("link", { name: "bounced-3" }).waitFor();
  });

  test("a job is canceled without a mouse", async () => {
    const stage = await open();
    await stage.client.queue("mail").put("k", {}, { jid: "j" });
    const page = await stage.look("jobs/j");
    await page.getByRole("button", { name: "Cancel" }).focus();
    await page.keyboard.press("Enter");
    await inDialog(page).getByText("The job will be gone").waitFor();
    await page.keyboard.press("Escape");
    await inDialog(page).waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Cancel");
    await page.keyboard.press("Enter");
    await inDialog(page).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("This job is gone").waitFor();
  });

  test("the theme is chosen and remembered", async () => {
    const stage = await open();
    const page = await stage.look("", { colorScheme: "light" });
    await settled(page);
    const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await ground();
    await page.keyboard.press("t");
    await page.keyboard.press("t");
    await expect.poll(ground).not.toBe(light);
    const dark = await ground();
    await page.reload();
    await settled(page);
    expect(await ground()).toBe(dark);
  });
});
