import { expect, test } from "vitest";
import { confirmDialog, oneStage, press } from "./support.ts";

/** Browsers take `.` and `..` out of the path of a request, however they are written. */
oneStage("names of dots", (open) => {
  test("have pages of their own, and their settings change that queue alone", async () => {
    const stage = await open();
    await stage.client.put("k", 1, { jid: "other" });
    const before = await stage.client.config.all();
    for (const name of [".", ".."]) {
      await stage.client.queue(name).put("k", { n: 1 }, { jid: name });
      const page = await stage.look(`queues/${name}`);
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
      await page.getByRole("link", { name, exact: true }).first().waitFor();
      await press(page, "Change Heartbeat, seconds");
      await page.getByLabel("Heartbeat, seconds", { exact: true }).fill("5");
      await press(page, "Save");
      await page.getByText("Heartbeat, seconds is now 5").waitFor();
      expect(await stage.client.config.all()).toEqual({ ...before, [`${name}-heartbeat`]: 5 });
      await press(page, "Heartbeat, seconds back to its default");
      await expect.poll(() => stage.client.config.all()).toEqual(before);
      await press(page, "Pause");
      await confirmDialog(page, "Pause");
      await expect.poll(async () => (await stage.client.queue(name).counts()).paused).toBe(true);
      expect((await stage.client.queue("k").counts()).paused).toBe(false);
    }
  });

  test("are shown and canceled as jobs, groups and workers", async () => {
    const stage = await open();
    await stage.client.put("k", 1, { jid: "other" });
    for (const name of [".", ".."]) {
      await stage.client.queue("q").put("k", { n: 1 }, { jid: name });
      const [job] = await stage.client.queue("q").pop({ worker: name });
      const page = await stage.look(`workers/${name}`);
      await page.getByRole("link", { name, exact: true }).first().waitFor();
      await job!.fail(name, "it broke");
      await page.goto(`${stage.url}/ui/#/failures/${name}`);
      await page.getByText("it broke").first().waitFor();
      await page.goto(`${stage.url}/ui/#/jobs/${name}`);
      await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
      await press(page, "Cancel");
      await confirmDialog(page, "Cancel the job");
      await page.getByText("This job is gone").waitFor();
      expect(await stage.client.get(name)).toBeUndefined();
    }
    expect(await stage.client.get("other")).toBeDefined();
  });
});
