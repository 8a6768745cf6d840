import { expect, test } from "vitest";
import { setScene } from "./scene.ts";
import { confirmDialog, everyStage, fill, inDialog, oneStage, press } from "./support.ts";

everyStage("recurring jobs and workers", (open) => {
  test("are scheduled, paused, run at once, changed and ended", async () => {
    const stage = await open();
    const { schedules } = stage.client;
    const page = await stage.look("recurring");
    await press(page, "New schedule");
    await fill(page, "Name", "nightly");
    await fill(page, "Klass", "shop.tidy");
    await fill(page, "Queue", "shop");
    await fill(page, "Time zone", "UTC");
    await fill(page, "Cron", "61 * * * *");
    await inDialog(page).locator("p .trouble").waitFor();
    await fill(page, "Cron", "30 4 * * *");
    await inDialog(page).getByText("every day at 04:30").waitFor();
    await confirmDialog(page, "Save");
    await page.getByText("nightly").first().waitFor();
    expect(await schedules.get("nightly")).toMatchObject({ cron: "30 4 * * *", queue: "shop" });
    await press(page, "Pause nightly");
    await press(page, "Unpause nightly");
    const given = { priority: -3, tags: ["x", "y"], retries: 2, source: "shop", backlog: 7 };
    const options = { cron: "30 4 * * *", queue: "shop", backoff: "fixed 5", ...given };
    await schedules.set("nightly", "shop.tidy", {}, options);
    await page.reload();
    await press(page, "Edit nightly");
    await fill(page, "Cron", "0 5 * * *");
    await confirmDialog(page, "Save");
    await page.getByText("every day at 05:00").waitFor();
    expect(await schedules.get("nightly")).toMatchObject({ ...given, backoff: "fixed 5" });
    await press(page, "Run now: nightly");
    await confirmDialog(page, "Put it");
    await page.getByText("from:nightly").waitFor();
    expect((await stage.client.queue("shop").counts()).waiting).toBe(1);
    await page.goto(`${stage.url}/ui/#/recurring`);
    await press(page, "End nightly");
    await confirmDialog(page, "End it");
    await page.getByText("No schedules").waitFor();
  });
});

oneStage("recurring jobs and workers", (open) => {
  test("come at intervals", async () => {
    const stage = await open();
    const page = await stage.look("recurring");
    await press(page, "New interval");
    await fill(page, "Name", "beat");
    await fill(page, "Every", "1h 30m");
    await fill(page, "Klass", "shop.beat");
    await fill(page, "Queue", "shop");
    await confirmDialog(page, "Save");
    await page.getByText("1h 30m").first().waitFor();
    await press(page, "Edit beat");
    await fill(page, "Every", "2h");
    await confirmDialog(page, "Save");
    await page.getByText("2h", { exact: true }).waitFor();
    expect((await stage.client.recurring.get("beat"))?.intervalMs).toBe(7_200_000);
    await press(page, "End beat");
    await confirmDialog(page, "End it");
    await page.getByText("No jobs at intervals").waitFor();
  });

  test("and a worker that is gone is taken off the list, a job untracked", async () => {
    const stage = await open();
    await setScene(stage.client, 1);
    const page = await stage.look("workers/encoder-2");
    await press(page, "Take off the list");
    await confirmDialog(page, "Take it off");
    await page.getByText("There is no such worker").waitFor();
    await page.goto(`${stage.url}/ui/#/tracked`);
    await page.getByLabel("Select hook-3").check();
    await press(page, "Untrack");
    await page.getByRole("link", { name: "hook-3" }).waitFor({ state: "detached" });
  });
});
