import { expect, test } from "vitest";
import { setScene } from "./scene.ts";
import { everyStage, oneStage } from "./support.ts";

/** Every page, and something that must be on it. */
const PAGES: readonly [place: string, heading: string, ...shown: string[]][] = [
  ["", "Overview", "webhooks", "Nobody works on webhooks", "SmtpError", "encoder-1", "hook-3"],
  ["queues/mail", "mail", "letter-3", "How long jobs waited", "Jobs at a time"],
  ["queues/mail?state=failed", "mail", "bounced-3", "SmtpError"],
  ["queues/nightly?state=recurring", "nightly", "tidy"],
  ["queues/reports", "reports", "the ledger is migrated"],
  ["jobs/clip-9", "clip-9", "62 %", "second pass", "handed to", "clip-9.mov"],
  ["jobs/load", "load", "It waits for 3 other jobs", "transform-users", "notify"],
  ["jobs/bounced-3", "bounced-3", "too many connections", "failed in"],
  ["failures", "Failures", "SmtpError", "TemplateMissing", "No template"],
  ["failures/SmtpError", "SmtpError", "Try one first", "bounced-3"],
  ["workers", "Workers", "gpu-1", "1 of 2 slots are free", "Came without a handler"],
  ["workers/encoder-3", "encoder-3", "clip-7"],
  ["recurring", "Recurring", "every weekday at 09:00", "tidy", "Europe/Berlin"],
  ["search?q=tag%3Aacme%20state%3Afailed", "Search", "bounced-3"],
  ["tags", "Tags", "acme"],
  ["tracked", "Tracked", "clip-9", "hook-3"],
  ["log", "Log", "Nothing has happened yet"],
  ["config", "Config", "grace-period", "video", "max-concurrency"],
  ["nowhere", "No such page"],
];

everyStage("pages", (open) => {
  test("show what there is, and the same after a reload", async () => {
    const stage = await open();
    await setScene(stage.client);
    const page = await stage.look();
    for (const [place, heading, ...shown] of PAGES) {
      await page.goto(`${stage.url}/ui/#/${place}`);
      await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
      for (const text of shown) await page.locator("main").getByText(text).first().waitFor();
    }
    await page.goto(`${stage.url}/ui/#/queues/mail?state=failed`);
    await page.reload();
    await page.getByText("bounced-3").first().waitFor();
  });
});

oneStage("pages", (open) => {
  test("say what to do where there is nothing", async () => {
    const stage = await open();
    const page = await stage.look();
    await page.getByText("There are no queues yet").waitFor();
    await page.getByText("Nothing needs you").waitFor();
    await page.goto(`${stage.url}/ui/#/jobs/nobody`);
    await page.getByText("There is no such job").waitFor();
    await page.goto(`${stage.url}/ui/#/search?q=state%3Asleeping`);
    await page.getByText("There is no state sleeping").waitFor();
    await page.goto(`${stage.url}/ui/#/workers`);
    await page.getByText("Nobody has asked for work lately").waitFor();
  });

  test("draw a job's life to scale and list it", async () => {
    const stage = await open();
    await setScene(stage.client);
    const page = await stage.look("jobs/clip-9");
    await page.locator(".span.running").nth(2).waitFor();
    const widths = await page
      .locator(".lane:nth-child(2) .span")
      .evaluateAll((spans) => spans.map((span) => Number(span.getAttribute("width"))));
    // The first run of encoder-1 was cut off after 70 s, its last has gone on for 40 s.
    expect(widths[0]! / widths[1]!).toBeGreaterThan(1.2);
    await page.getByText("As a list").first().click();
    await page.locator(".timeline li").getByText("then lock lost").first().waitFor();
  });

  test("page through a list without loading it whole", async () => {
    const stage = await open();
    const jobs = Array.from({ length: 130 }, (_, i) => ({
      ...{ klass: "k", queue: "long", data: {}, jid: `n${String(i).padStart(3, "0")}` },
    }));
    await stage.client.putMany(jobs);
    const page = await stage.look("queues/long");
    await page.getByText("50 jobs here, 130 in all").waitFor();
    expect(await page.locator(".job-list tbody tr").count()).toBe(50);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByRole("link", { name: "n050" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "n050" }).waitFor();
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByText("30 jobs here").waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "n050" }).waitFor();
    await page.evaluate("window.scrollTo(0, 400)");
    await page.getByRole("link", { name: "n060" }).click();
    await page.getByRole("heading", { level: 1, name: "n060" }).waitFor();
    expect(await page.evaluate("window.scrollY")).toBe(0);
    await page.goBack();
    await page.getByRole("link", { name: "n060" }).waitFor();
    await expect.poll(() => page.evaluate("window.scrollY")).toBe(400);
    await page.getByRole("link", { name: "Newest first" }).click();
    await page.getByRole("link", { name: "n129" }).waitFor();
  });
});
