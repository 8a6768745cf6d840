import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { DELICATE } from "../json/texts.ts";
import { confirmDialog, fill, oneStage, press, type Stage } from "./support.ts";

const put = (stage: Stage, jid: string, data: string) =>
  stage.client.engine.call("put", ["w", "mail", jid, "k", data, 0]);

/** The data of the job that was put last, as it is stored. */
async function copied(stage: Stage, page: Page, from: string): Promise<string> {
  await expect.poll(() => page.locator("main h1").textContent()).not.toBe(from);
  return (await stage.client.get((await page.locator("main h1").textContent())!))!.rawData;
}

oneStage("the data of a job", (open) => {
  test("is shown with its own digits, members and order, and copied byte for byte", async () => {
    const stage = await open();
    for (const [i, data] of DELICATE.entries()) {
      await put(stage, `j${i}`, data);
      const context = { permissions: ["clipboard-read", "clipboard-write"] };
      const page = await stage.look(`jobs/j${i}`, context);
      const shown = page.locator(".json").first();
      await shown.getByRole("button", { name: "Copy", exact: true }).click();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(data);
      for (const number of data.match(/-?\d[\d.e]{5,}/g) ?? []) {
        expect(await shown.textContent()).toContain(number);
      }
      await shown.getByRole("button", { name: "Raw", exact: true }).click();
      const raw = (await shown.locator("pre").textContent())!;
      expect(raw.replaceAll(/\s/g, "")).toBe(data.replaceAll(/\s/g, ""));
      await press(page, "Put a copy");
      await confirmDialog(page, "Put it");
      expect(await copied(stage, page, `j${i}`)).toBe(data);
      await page.context().close();
    }
  });

  test("keeps the rest when a part of a copy is changed", async () => {
    const stage = await open();
    await put(stage, "a", '{"id":12345678901234567890,"2":1,"1":2,"name":"ada"}');
    const page = await stage.look("jobs/a");
    await press(page, "Put a copy");
    await fill(page, "Data, as JSON", '{"id":12345678901234567890,"2":1,"1":2,"name":"bea"}');
    await confirmDialog(page, "Put it");
    const text = '{"id":12345678901234567890,"2":1,"1":2,"name":"bea"}';
    expect(await copied(stage, page, "a")).toBe(text);
  });

  test("is drawn anew when a digit changes that JavaScript does not see", async () => {
    const stage = await open();
    await put(stage, "a", "[12345678901234567890]");
    const page = await stage.look("jobs/a");
    await page.locator(".json").getByText("12345678901234567890").waitFor();
    await put(stage, "a", "[12345678901234567891]");
    await page.locator(".json").getByText("12345678901234567891").waitFor();
  });

  test("of a schedule and a recurring job stays when something else is changed", async () => {
    const stage = await open();
    const data = DELICATE[0]!;
    const cron = '"klass":"k","queue":"mail","cron":"0 9 * * *"';
    await stage.put("/api/v1/schedules/s", `{${cron},"data":${data}}`);
    await stage.put(
      "/api/v1/recurring/r",
      `{"klass":"k","queue":"mail","interval":60,"data":${data}}`,
    );
    const page = await stage.look("recurring");
    for (const jid of ["s", "r"]) {
      const row = page.getByRole("row").filter({ has: page.getByText(jid, { exact: true }) });
      await row.getByRole("button", { name: /^Edit/ }).click();
      await fill(page, "Tags", "changed");
      await confirmDialog(page, "Save");
    }
    const { client } = stage;
    await expect.poll(async () => (await client.recurring.get("r"))!.tags).toEqual(["changed"]);
    expect((await client.recurring.get("r"))!.rawData).toBe(data);
    expect(await client.schedules.get("s")).toMatchObject({ rawData: data, tags: ["changed"] });
  });
});
