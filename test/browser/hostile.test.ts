import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { PAYLOADS } from "./payloads.ts";
import { oneStage, type Stage } from "./support.ts";

const ELEMENTS =
  "script, iframe, object, embed, base, style, math, form[action], #broken, img, [onerror], [onload]";

/** Puts a payload wherever a text of somebody else can be. */
async function infest({ client }: Stage, text: string, i: number): Promise<void> {
  const { engine } = client;
  const name = text;
  const words = ["tags", JSON.stringify([name, "all"]), "source", name];
  const data = JSON.stringify({ [text]: text, list: [text, { deep: text }] });
  const put = (queue: string, jid: string, ...more: string[]) =>
    engine.call("put", [name, queue, jid, name, data, 0, ...words, ...more]);
  await put(name, `waits ${text}`);
  await engine.call("log", [`waits ${text}`, text, JSON.stringify({ [text]: text })]);
  await engine.call("track", ["track", `waits ${text}`]);
  await put(`fails ${i}`, `fails ${text}`);
  await engine.call("pop", [`fails ${i}`, name, 1]);
  await engine.call("fail", [`fails ${text}`, name, name, `${text}\n${text}`, data]);
  await put(`runs ${i}`, `runs ${text}`);
  await engine.call("pop", [`runs ${i}`, name, 1]);
  await put(`depends ${i}`, `depends ${text}`, "depends", JSON.stringify([`waits ${text}`]));
  await engine.call("queue.pause", [`runs ${i}`, "reason", text]);
  const run = {
    jid: `runs ${text}`,
    klass: text,
    queue: text,
    since: text,
    said: text,
    progress: 0.5,
  };
  const facts = {
    host: text,
    version: text,
    pid: text,
    lag: text,
    unhandled: [text],
    runs: [run, text, null],
  };
  const lists = ["queues", JSON.stringify([name]), "klasses", JSON.stringify([name])];
  await engine.call("worker.present", [name, 600, JSON.stringify(facts), ...lists]);
  await client.schedules.set(`s ${text}`, name, text, { cron: "0 9 * * *", queue: name });
  await client.recurring.set(`r ${text}`, name, text, { queue: name, interval: "1h" });
}

const enc = encodeURIComponent;
const placesFor = (text: string, i: number) => [
  `queues/${enc(text)}`,
  `queues/${enc(text)}?state=recurring`,
  `queues/${enc(`runs ${i}`)}?state=running`,
  `jobs/${enc(`waits ${text}`)}`,
  `jobs/${enc(`fails ${text}`)}`,
  `jobs/${enc(`runs ${text}`)}`,
  `jobs/${enc(`depends ${text}`)}`,
  `failures/${enc(text)}`,
  `workers/${enc(text)}`,
  `search?q=${enc(`tag:"${text.replaceAll(/["\\]/g, "\\$&")}"`)}`,
];
const ALL = [
  "",
  "failures",
  "workers",
  "recurring",
  "search?q=tag%3Aall",
  "tags",
  "tracked",
  "config",
  "log",
];

/** Goes to a page within the program, and waits until it is there. */
async function visit(page: Page, place: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`);
  await page.locator("main h1").waitFor();
  await page.locator("main .loading").first().waitFor({ state: "detached" });
}

/** What is on the page that nobody of ours put there. */
const FOREIGN = `({
  elements: [...document.body.querySelectorAll(${JSON.stringify(ELEMENTS)})].map((one) =>
    one.outerHTML.slice(0, 120),
  ),
  links: [...document.querySelectorAll("a[href]")]
    .map((one) => one.getAttribute("href"))
    .filter((link) => !link.startsWith("#/")),
  isRenamed: document.title === "x",
})`;

async function check(page: Page, place: string): Promise<void> {
  const nothing = { elements: [], links: [], isRenamed: false };
  expect(await page.evaluate(FOREIGN), place).toEqual(nothing);
}

/** As much as a name holds, with what is put before it. */
const MOST = 230;

/**
 * Those that only do harm as the whole of a name stay alone; of the others as many as fit share one, and
 * with it each visit of a page.
 */
function packed(): string[] {
  const alone = PAYLOADS.filter((text) => /^[\w.%]+/.test(text) || text.length > MOST / 2);
  const names: string[] = [];
  for (const text of PAYLOADS.filter((one) => !alone.includes(one))) {
    const last = `${names.at(-1) ?? ""} ${text}`;
    if (names.length > 0 && Buffer.byteLength(last) <= MOST) names[names.length - 1] = last;
    else names.push(text);
  }
  return [...alone, ...names].filter((text) => Buffer.byteLength(`depends ${text}`) <= 240);
}

oneStage("hostile text", (open) => {
  test("is shown as the text it is, on every page", async () => {
    const stage = await open();
    const names = packed();
    for (const [i, text] of names.entries()) await infest(stage, text, i);
    const page = await stage.look();
    for (const where of ALL) {
      await visit(page, where);
      await check(page, where);
    }
    for (const [i, text] of names.entries()) {
      for (const where of placesFor(text, i)) {
        await visit(page, where);
        await check(page, where);
        if (!where.startsWith("jobs/fails")) continue;
        expect(await page.locator("h1").textContent()).toBe(`fails ${text}`);
        expect(await page.locator(".stack").textContent()).toContain(text);
      }
    }
  }, 180_000);
});
