import { expect, test } from "vitest";
import { serve } from "../../src/http/server.ts";
import { openClient } from "../client/every-client.ts";
import { confirmDialog, everyStage, oneStage, press, take, UI } from "./support.ts";

everyStage("live", (open) => {
  test("what one page does, another shows without being asked", async () => {
    const stage = await open();
    await stage.client.queue("mail").put("mail.send", {}, { jid: "j" });
    const [one, other] = [await stage.look("jobs/j"), await stage.look("queues/mail")];
    await other.getByRole("link", { name: "j", exact: true }).waitFor();
    await one.getByText("Live").waitFor();
    await press(one, "Cancel");
    await confirmDialog(one, "Cancel the job");
    await other.getByText("Nothing waits here").waitFor();
  });

  test("jobs that come and end are seen in the log and on the overview", async () => {
    const stage = await open();
    const page = await stage.look("log");
    await page.getByText("Live").waitFor();
    await stage.client.queue("mail").put("mail.send", {}, { jid: "fresh" });
    await (await take(stage, "mail")).complete();
    await page.getByText("completed").first().waitFor();
    await page.getByRole("link", { name: "fresh" }).first().waitFor();
    await press(page, "Hold");
    await stage.client.queue("mail").put("mail.send", {}, { jid: "unseen" });
    await press(page, "Go on");
    await page.getByRole("link", { name: "unseen" }).waitFor();
    await stage.post("/api/v1/queues/mail/pause", { reason: "a move" });
    await page.getByText("by anonymous, action pause").waitFor();
    await page.goto(`${stage.url}/ui/#/`);
    await page.getByRole("link", { name: "mail", exact: true }).waitFor();
  });
});

oneStage("live", (open, place) => {
  test("a refresh keeps the selection, the focus and what is typed", async () => {
    const stage = await open();
    const queue = stage.client.queue("mail");
    for (let i = 0; i < 30; i++) await queue.put("mail.send", {}, { jid: `j${i}` });
    const page = await stage.look("queues/mail");
    await page.getByLabel("Select j7", { exact: true }).check();
    await page.getByRole("link", { name: "j9", exact: true }).focus();
    await page.evaluate("window.scrollTo(0, 300)");
    const row = await page
      .locator("tr", { has: page.getByLabel("Select j7", { exact: true }) })
      .elementHandle();
    await queue.put("mail.send", {}, { jid: "another" });
    await page.getByText("31 jobs here").waitFor();
    expect(await page.getByLabel("Select j7", { exact: true }).isChecked()).toBe(true);
    expect(await page.evaluate("document.activeElement.textContent")).toBe("j9");
    expect(await page.evaluate("window.scrollY")).toBe(300);
    expect(await row!.evaluate((one) => (one as { isConnected?: boolean }).isConnected)).toBe(true);
    await page.getByLabel("Find jobs").fill("half a wo");
    await queue.put("mail.send", {}, { jid: "one-more" });
    await page.getByText("32 jobs here").waitFor();
    expect(await page.getByLabel("Find jobs").inputValue()).toBe("half a wo");
  });

  test("without a stream of events it asks again and again, and says so", async () => {
    const stage = await open({ maxStreams: 0 });
    await stage.client.queue("mail").put("mail.send", {}, { jid: "first" });
    const page = await stage.look("queues/mail");
    await page.getByText("Polling").waitFor();
    await page.getByRole("link", { name: "first", exact: true }).waitFor();
    await stage.client.queue("mail").put("mail.send", {}, { jid: "second" });
    await page.getByRole("link", { name: "second", exact: true }).waitFor();
  });

  test("when the server is away the page stays, is marked stale, and recovers", async () => {
    const stage = await open();
    const client = await openClient(place, { name: "other" });
    const first = await serve(client, { port: 0, ui: UI, upkeep: false, grace: "1s" });
    await client.queue("mail").put("mail.send", {}, { jid: "kept" });
    const page = await stage.look();
    await page.goto(`${first.url}ui/#/queues/mail`);
    await page.getByRole("link", { name: "kept" }).waitFor();
    await first.stop();
    await page.getByText("Stale").waitFor();
    await page.getByText("What you see is from").waitFor();
    await page.getByRole("link", { name: "kept" }).waitFor();
    const options = { port: first.port, ui: UI, upkeep: false, grace: "1s" };
    const again = await serve(client, options);
    await client.queue("mail").put("mail.send", {}, { jid: "new" });
    await page.getByRole("link", { name: "new" }).waitFor();
    await page.getByText("Live").waitFor();
    await again.stop();
    await client.close();
  });

  test("a hidden page lets go of its stream", async () => {
    const stage = await open();
    const page = await stage.look();
    await page.getByText("Live").waitFor();
    await page.evaluate(`
      Object.defineProperty(document, "hidden", { configurable: true, value: true });
      document.dispatchEvent(new Event("visibilitychange"));
    `);
    await page.getByText("Paused").waitFor();
    await page.evaluate(`
      Object.defineProperty(document, "hidden", { configurable: true, value: false });
      document.dispatchEvent(new Event("visibilitychange"));
    `);
    await page.getByText("Live").waitFor();
  });
});
