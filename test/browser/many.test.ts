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

async function withFailures(open: OpenStage, count: number): Promise<Stage> {
  const stage = await open();
  const queue = stage.client.queue("mail");
  for (let i = 0; i < count; i++) {
    await queue.put("mail.send", {}, { jid: `f${i}`, tags: i % 2 === 0 ? ["even"] : [] });
    await (await take(stage, "mail")).fail("Smtp", `no route to host ${i}`);
  }
  return stage;
}
const count = async (stage: Stage) => stage.client.queue("mail").counts();
const chosen = (page: Page, jid: string) => page.getByLabel(`Select ${jid}`, { exact: true });

everyStage("changes of many jobs", (open) => {
  test("try one failed job first, then the rest", async () => {
    const stage = await withFailures(open, 4);
    const page = await stage.look("failures/Smtp");
    await press(page, "Try one first");
    await page.getByText("waiting for how it ends").waitFor();
    const queue = stage.client.queue("mail");
    await expect.poll(async () => (await queue.counts()).waiting).toBe(1);
    await (await take(stage, "mail")).complete();
    await page.getByText("completed this time").waitFor();
    await press(page, /Retry the other 3/);
    await inDialog(page).getByRole("button", { name: "Retry 3 jobs" }).click();
    await inDialog(page).getByText("3 of 3 done").waitFor();
    await confirmDialog(page, "Done");
    expect((await queue.counts()).waiting).toBe(3);
  });
});

oneStage("changes of many jobs", (open) => {
  test("tell how many jobs a filter finds before they are changed", async () => {
    const stage = await withFailures(open, 6);
    const page = await stage.look("search?q=state%3Afailed%20tag%3Aeven");
    await page.getByLabel(/All jobs that are found/).check();
    await press(page, "Retry");
    await inDialog(page).getByText("A dry run found 3 jobs").waitFor();
    expect((await count(stage)).waiting).toBe(0);
    await inDialog(page).getByRole("button", { name: "Retry 3 jobs" }).click();
    await inDialog(page).getByText("3 of 3 done").waitFor();
    await confirmDialog(page, "Done");
    expect((await count(stage)).waiting).toBe(3);
  });

  test("move, tag, untag and prioritise what is selected", async () => {
    const stage = await withFailures(open, 4);
    const page = await stage.look("failures/Smtp");
    const act = async (button: string, label: string, text: string) => {
      await chosen(page, "f1").check();
      await chosen(page, "f2").check();
      await press(page, button);
      await fill(page, label, text);
      await confirmDialog(page, /2 jobs/);
    };
    await act("Tag", "Tags", "seen");
    await act("Untag", "Tags", "even");
    await act("Priority", "Priority", "9");
    const job = async (jid: string) => (await stage.client.get(jid))!.toJSON();
    await expect.poll(() => job("f2")).toMatchObject({ priority: 9, tags: ["seen"] });
    await expect.poll(() => job("f1")).toMatchObject({ priority: 9, tags: ["seen"] });
    await act("Move", "Into the queue", "later");
    await expect.poll(async () => (await job("f1")).queue).toBe("later");
    await page.getByText("2 jobs here").waitFor();
  });

  test("forget that all were chosen when another list is shown", async () => {
    const stage = await withFailures(open, 2);
    await stage.client.queue("mail").put("mail.send", {}, { jid: "innocent" });
    const page = await stage.look("queues/mail?state=failed");
    await page.getByLabel(/^All/).check();
    await page.getByText("all of them").waitFor();
    await page.getByRole("link", { name: "waiting 1" }).click();
    await page.getByText("0 jobs selected").waitFor();
    expect(await page.getByLabel(/^All/).isChecked()).toBe(false);
  });

  test("cancel what is selected", async () => {
    const stage = await withFailures(open, 3);
    const page = await stage.look("failures/Smtp");
    await page.getByLabel("Select all rows of this page").check();
    await chosen(page, "f0").uncheck();
    await press(page, "Cancel");
    await confirmDialog(page, "Cancel 2 jobs");
    await page.getByText("1 job here").waitFor();
    expect(await stage.client.get("f1")).toBeUndefined();
    expect(await stage.client.get("f0")).toBeDefined();
  });

  test("say that the one failed again", async () => {
    const stage = await withFailures(open, 2);
    const page = await stage.look("failures/Smtp");
    await press(page, "Try one first");
    const queue = stage.client.queue("mail");
    await expect.poll(async () => (await queue.counts()).waiting).toBe(1);
    await (await take(stage, "mail")).fail("Smtp", "still no route");
    await page.getByText("failed again: still no route").waitFor();
  });

  test("cancel all of a group", async () => {
    const stage = await withFailures(open, 5);
    const page = await stage.look("failures/Smtp");
    await press(page, "Cancel all");
    await inDialog(page).getByRole("button", { name: "Cancel 5 jobs" }).click();
    await inDialog(page).getByText("5 of 5 done").waitFor();
    await confirmDialog(page, "Done");
    await page.getByText("No job is failed in this group").waitFor();
  });

  test("concern the jobs of every klass that begins as a star says", async () => {
    const stage = await withFailures(open, 2);
    await stage.client.queue("x").put("other.kind", {}, { jid: "o1" });
    const page = await stage.look("search?q=klass%3Amail.*");
    await page.getByRole("link", { name: "f0" }).waitFor();
    expect(await page.getByRole("link", { name: "o1" }).count()).toBe(0);
    await page.getByLabel(/All jobs that are found/).check();
    await press(page, "Cancel");
    await inDialog(page).getByRole("button", { name: "Cancel 2 jobs" }).click();
    await inDialog(page).getByText("2 of 2 done").waitFor();
    await confirmDialog(page, "Done");
    await page.getByRole("link", { name: "Without klass:mail.*" }).click();
    await page.getByRole("link", { name: "o1" }).waitFor();
    expect(await page.getByRole("link", { name: "f0" }).count()).toBe(0);
  });
});
