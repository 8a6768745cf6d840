import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import {
  confirmDialog,
  everyStage,
  fill,
  inDialog,
  type OpenStage,
  oneStage,
  press,
  type Stage,
  take,
} from "./support.ts";

async function withJob(open: OpenStage): Promise<[Stage, Page]> {
  const stage = await open();
  await stage.client.queue("mail").put("mail.send", { to: "ada" }, { jid: "j", tags: ["a"] });
  const page = await stage.look("jobs/j");
  await page.getByText("Why is it not running?").waitFor();
  return [stage, page];
}
const job = async (stage: Stage) => (await stage.client.get("j"))!.toJSON();

everyStage("actions", (open) => {
  test("time out a running job, retry a failed one, run a scheduled one", async () => {
    const [stage, page] = await withJob(open);
    await take(stage, "mail");
    await press(page, "Time out");
    await confirmDialog(page, "Take it away");
    await page.getByText("stalled", { exact: true }).first().waitFor();
    const taken = await take(stage, "mail");
    await taken.fail("broken", "it broke");
    await page.getByText("it broke").first().waitFor();
    await press(page, "Retry");
    await page.getByText("Last failure").waitFor();
    expect((await job(stage)).state).toBe("waiting");
    await stage.client.queue("mail").put("mail.send", {}, { jid: "later", delay: "1h" });
    await page.goto(`${stage.url}/ui/#/jobs/later`);
    await press(page, "Run now");
    await page
      .getByText("Nothing is in its way")
      .or(page.getByText("come before it"))
      .first()
      .waitFor();
  });
});

oneStage("actions", (open) => {
  test("change a job's priority, tags and queue", async () => {
    const [stage, page] = await withJob(open);
    await press(page, "Priority");
    await fill(page, "Priority", "-7");
    await confirmDialog(page, "Set it");
    await press(page, "Tags");
    await fill(page, "Tags", "b, c");
    await confirmDialog(page, "Set them");
    await press(page, "Move");
    await fill(page, "Into the queue", "post");
    await confirmDialog(page, "Move");
    await page.getByRole("link", { name: "post" }).first().waitFor();
    expect(await job(stage)).toMatchObject({ priority: -7, tags: ["b", "c"], queue: "post" });
    await page.getByText("by the operator anonymous").first().waitFor();
  });

  test("let a job go that waits for others", async () => {
    const [stage, page] = await withJob(open);
    await stage.client.queue("mail").put("mail.send", {}, { jid: "after", depends: ["j"] });
    await page.goto(`${stage.url}/ui/#/jobs/after`);
    await press(page, "Wait for nothing");
    await confirmDialog(page, "Let it run");
    await expect
      .poll(async () => (await stage.client.get("after"))!.toJSON().state)
      .toBe("waiting");
  });

  test("pause a queue with a reason, unpause it, and put a job into it", async () => {
    const [stage, page] = await withJob(open);
    await page.goto(`${stage.url}/ui/#/queues/mail`);
    await press(page, "Pause");
    await fill(page, "Why", "the moon is full");
    await fill(page, "For how long", "2h");
    await confirmDialog(page, "Pause");
    await page.getByText("the moon is full").waitFor();
    expect(await stage.client.queue("mail").counts()).toMatchObject({ paused: true });
    await press(page, "Unpause");
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await press(page, "Put a job");
    await fill(page, "Klass", "mail.bulk");
    await confirmDialog(page, "Put");
    await page.getByRole("link", { name: "mail.bulk" }).waitFor();
  });

  test("track a job and put a copy of it", async () => {
    const [stage, page] = await withJob(open);
    await press(page, "Track");
    await page.getByText("★ tracked").waitFor();
    await press(page, "Put a copy");
    await fill(page, "Data", '{"to":"grace"}');
    await confirmDialog(page, "Put it");
    await page.getByText("grace").waitFor();
    expect((await stage.client.queue("mail").counts()).waiting).toBe(2);
    expect((await job(stage)).tracked).toBe(true);
  });

  test("keep what was typed when the server says no", async () => {
    const [, page] = await withJob(open);
    await press(page, "Put a copy");
    await fill(page, "Data", "{oops");
    await inDialog(page).getByRole("button", { name: "Put it" }).click();
    await inDialog(page).getByText("Data is not JSON").first().waitFor();
    expect(await inDialog(page).getByLabel("Data").inputValue()).toBe("{oops");
    await page.keyboard.press("Escape");
    await press(page, "Move");
    await fill(page, "Into the queue", "x".repeat(300));
    await inDialog(page).getByRole("button", { name: "Move" }).click();
    await inDialog(page).getByRole("alert").waitFor();
    expect(await inDialog(page).getByLabel("Into").inputValue()).toHaveLength(300);
  });

  test("cancel a job", async () => {
    const [stage, page] = await withJob(open);
    await press(page, "Cancel");
    await confirmDialog(page, "Cancel the job");
    await page.getByText("This job is gone").waitFor();
    expect(await stage.client.get("j")).toBeUndefined();
  });

  test("change a queue's limits in their place, and refuse what makes no sense", async () => {
    const [stage, page] = await withJob(open);
    await page.goto(`${stage.url}/ui/#/queues/mail`);
    await press(page, "Change Jobs at a time");
    await page.getByLabel("Jobs at a time").fill("many");
    await press(page, "Save");
    await page.locator(".setting .trouble").waitFor();
    expect(await page.getByLabel("Jobs at a time", { exact: true }).inputValue()).toBe("many");
    await page.getByLabel("Jobs at a time", { exact: true }).fill("3");
    await press(page, "Save");
    await press(page, "Jobs at a time back to its default");
    await expect
      .poll(async () => (await stage.client.config.all())["mail-max-concurrency"])
      .toBeUndefined();
  });

  test("forget a queue", async () => {
    const [stage, page] = await withJob(open);
    await stage.client.cancel(["j"]);
    await page.goto(`${stage.url}/ui/#/queues/mail`);
    await press(page, "Forget");
    await confirmDialog(page, "Forget");
    await page.getByText("There are no queues yet").waitFor();
  });

  test("change a setting of all queues, and check everything", async () => {
    const [stage, page] = await withJob(open);
    await page.goto(`${stage.url}/ui/#/config`);
    await press(page, "Change grace-period");
    await page.getByLabel("grace-period", { exact: true }).fill("20");
    await press(page, "Save");
    await expect.poll(async () => stage.client.config.get("grace-period")).toBe("20");
    await press(page, "Check");
    await page.getByText("Found 0 disagreements").waitFor();
  });
});
