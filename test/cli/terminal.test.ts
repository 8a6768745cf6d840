import { describe, expect, test } from "vitest";
import { soon } from "../worker/site.ts";
import { everySite, folderOf, type Site, start } from "./support.ts";
import { hasTerminal, NO_TERMINAL, type OnTerminal, onTerminal } from "./terminal.ts";

/** What verbs do on a terminal: they ask, they colour, they take the whole screen. */

const ESCAPE = "\u001b";

function seated({ folder, flags }: Site, ...words: string[]): OnTerminal {
  return onTerminal([...words, ...flags], { cwd: folder });
}

describe.skipIf(!hasTerminal)(hasTerminal ? "on a terminal" : NO_TERMINAL, () => {
  everySite("a question", (open) => {
    test.each([
      ["y\r", 0, undefined],
      ["n\r", 5, "waiting"],
      ["\r", 5, "waiting"],
      ["\u0003", 5, "waiting"],
      ["\u0004", 5, "waiting"],
    ])("is answered by %j, and the code says so", async (answer, code, state) => {
      const site = await open();
      await site.client.queue("q\u202e").put("k", {}, { jid: "a" });
      const asked = seated(site, "cancel", "--queue", "q\u202e");
      await asked.shows(/Cancel 1 job \(queue q\\u202e\)\? \[y\/N\] $/);
      asked.type(answer);
      expect(await asked.code()).toBe(code);
      expect((await site.client.get("a"))?.state).toBe(state);
      if (code === 5) expect(asked.screen).toMatch(/\nqless: Nothing was done\n$/);
    });
  });

  everySite("qless top", (open) => {
    test("shows queues and workers, and keys pause, open, retry and cancel", async () => {
      const site = await open();
      const { client } = site;
      await client.queue("mail").put("k", { to: "a\u001b[2J" }, { jid: "first" });
      await client.queue("mail").put("k", {}, { jid: "second", priority: 1 });
      const [job] = await client.queue("mail").pop({ worker: "w1" });
      await job!.fail("smtp", "no route");
      const top = seated(site, "top", "--every", "100ms");
      await top.shows(
        /QUEUES \(1\)\nQUEUE +WAITING.*\nmail +1 +0[\s\S]*FAILURES \(1\)[\s\S]*smtp +1[\s\S]*WORKERS \(1\)[\s\S]*w1 +0/,
      );
      top.type("p");
      await top.shows(/mail .*paused by hand, in qless top/);
      expect((await client.queue("mail").counts()).paused).toBe(true);
      top.type("p");
      await expect.poll(async () => (await client.queue("mail").counts()).paused, soon).toBe(false);
      top.type("\t");
      top.type("\r");
      await top.shows(/Jobs that failed in group smtp\n.*\nfirst +k +failed/);
      top.type("\r");
      await top.shows(/jid +first[\s\S]*"to": "a\\u001b\[2J"/);
      top.type("r");
      await expect.poll(async () => (await client.get("first"))?.state, soon).toBe("waiting");
      await top.shows(/first runs as soon as it can/);
      top.type("c");
      await top.shows(/Cancel first for good\? y\/n/);
      top.type("n");
      await top.shows(/Nothing was done/);
      top.type("c");
      await top.shows(/Cancel first for good\? y\/n/);
      top.type("y");
      await top.shows(/first is gone\./);
      expect(await client.get("first")).toBeUndefined();
      top.type(ESCAPE);
      await top.shows(/Jobs that failed in group smtp/);
      top.type("q");
      expect(await top.code()).toBe(0);
      // The screen is given back as it was.
      expect(top.stdout.trimEnd().endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
      expect(await client.maintenance.check()).toEqual([]);
    });

    test("moves a job no further than its end, under a clock that goes on", async () => {
      const site = await open();
      const data = Array.from({ length: 60 }, (_, i) => `line${i}`);
      await site.client.queue("q").put("k", data, { jid: "a" });
      const top = seated(site, "top", "--every", "100ms");
      await top.shows(/QUEUES \(1\)/);
      top.type("\r");
      await top.shows(/\na +k +waiting/);
      top.type("\r");
      await top.shows(/jid +a\n/);
      const clock = () => /(\d\d:\d\d:\d\d)\n/.exec(top.screen)?.[1];
      const begun = clock();
      top.type("\u001b[6~".repeat(20));
      await top.shows(/line59[\s\S]* put +q=q\n+up\/down/);
      await expect.poll(clock, soon).not.toBe(begun);
      // Back at once, not only after as many steps as went too far.
      top.type("\u001b[5~".repeat(8));
      await top.shows(/jid +a\n/);
      top.type("q");
      expect(await top.code()).toBe(0);
    });

    test("retries a group after a question, and ends by Ctrl-C", async () => {
      const site = await open();
      const { client } = site;
      await client.queue("q").put("k", {}, { jid: "a" });
      const [job] = await client.queue("q").pop();
      await job!.fail("g", "m");
      const top = seated(site, "top", "--every", "100ms");
      await top.shows(/FAILURES \(1\)/);
      top.type("\t");
      top.type("r");
      await top.shows(/Retry 1 jobs of group g\? y\/n/);
      top.type("y");
      await top.shows(/1 put again, 0 refused/);
      expect((await client.get("a"))?.state).toBe("waiting");
      top.type("\u0003");
      expect(await top.code()).toBe(0);
    });
  });

  everySite("a table", (open) => {
    test("fits the terminal, with colours unless NO_COLOR says otherwise", async () => {
      const site = await open();
      await site.client.queue("q").put("k", { text: "漢".repeat(200) }, { jid: "a" });
      const coloured = seated(site, "peek", "q");
      expect(await coloured.code()).toBe(0);
      expect(coloured.stdout).toContain("\u001b[90mJID");
      for (const line of coloured.screen.trimEnd().split("\n")) {
        const wide = [...line].reduce((sum, one) => sum + (one === "漢" ? 2 : 1), 0);
        expect(wide).toBeLessThanOrEqual(100);
      }
      expect(coloured.screen).toContain("…");
      const words = ["peek", "q", ...site.flags];
      const plain = onTerminal(words, { cwd: site.folder, env: { NO_COLOR: "1" } });
      expect(await plain.code()).toBe(0);
      expect(plain.stdout).not.toContain("\u001b");
    });
  });

  everySite("progress", (open) => {
    test("is drawn on a terminal when something takes longer, and wiped", async () => {
      const site = await open();
      const words = ["put", "q", "k", "-", "--lines", ...site.flags];
      const fed = "(yes 1 | head -500; sleep 5; yes 1 | head -600)";
      const put = onTerminal(words, { cwd: site.folder, fed });
      expect(await put.code()).toBe(0);
      expect(put.stdout).toMatch(/Putting 1000 \d+\/s/);
      expect(put.stdout.trimEnd().endsWith("\u001b[K1100 put, 0 changed, 0 kept, 0 refused")).toBe(
        true,
      );
    });
  });
});

test.each([
  [
    ["top", "--url", "sqlite::memory:"],
    "top needs a terminal: see qless queues, qless workers and qless failed",
  ],
  [["top", "--every", "1ms"], "--every must be 100ms or more"],
  [["top", "--every", "5"], "--every needs a unit: 5s or 5ms"],
  [["top", "--json"], "top has no JSON: see qless queues --json and tail --json"],
])("qless %s is refused without a terminal", async (words, sentence) => {
  const run = start(words, { cwd: folderOf() });
  expect([await run.code(), run.stderr]).toEqual([2, `qless: ${sentence}\n`]);
});
