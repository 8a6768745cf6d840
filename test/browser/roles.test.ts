import { expect, test } from "vitest";
import { TOKENS, tokens } from "../http/support.ts";
import { setScene } from "./scene.ts";
import { oneStage } from "./support.ts";

oneStage("tokens", (open) => {
  test("are asked for where the server wants one, and wrong ones are refused", async () => {
    const stage = await open({ tokens: tokens() });
    await setScene(stage.client, 1);
    const page = await stage.look("queues/mail");
    await page.getByLabel("Token").fill("not-the-right-one-at-all");
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByLabel("Token").inputValue()).toBe("not-the-right-one-at-all");
    await page.getByLabel("Token").fill(TOKENS.admin);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByRole("heading", { level: 1, name: "mail" }).waitFor();
    await page.getByText("Live").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await page.getByRole("button", { name: "Leave" }).click();
    await page.getByLabel("Token").waitFor();
  });

  test("of a reader show no button that the server would refuse", async () => {
    const stage = await open({ tokens: tokens() });
    await setScene(stage.client, 1);
    const page = await stage.look();
    await page.getByLabel("Token").fill(TOKENS.read);
    await page.getByRole("button", { name: "Enter" }).click();
    const places = [
      "queues/mail",
      "jobs/clip-9",
      "jobs/bounced-3",
      "failures",
      "failures/SmtpError",
    ];
    const others = [
      "workers/encoder-1",
      "recurring",
      "search?q=state%3Afailed",
      "tracked",
      "config",
    ];
    for (const where of ["", ...places, ...others]) {
      await page.goto(`${stage.url}/ui/#/${where}`);
      await page.locator("main h1").waitFor();
      await page.locator("main .loading").first().waitFor({ state: "detached" });
      expect(await page.locator("main .trouble[role=alert]").allTextContents(), where).toEqual([]);
      const names = await page.locator("main button").allTextContents();
      const harmless = /^(Raw|Copy|Search|Hold|Go on|\d+ more|[a-z]+:|)$/;
      const sorting = await page.locator("main button.sort").allTextContents();
      const left = names.filter((name) => !harmless.test(name.trim()) && !sorting.includes(name));
      expect(left, where).toEqual([]);
      expect(await page.locator("main input[type=checkbox]").count(), where).toBe(0);
    }
  });

  test("of somebody who puts jobs allow that and nothing else", async () => {
    const stage = await open({ tokens: tokens() });
    const page = await stage.look();
    await page.getByLabel("Token").fill(TOKENS.put);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByRole("alert").getByText("needs the role read").waitFor();
  });
});
