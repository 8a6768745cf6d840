import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../sources.ts";
import { type Bench, everyServer, TOKENS, tokens } from "./support.ts";

/** Starts the worker of shell and curl; gives what it said on its standard error when it has ended. */
function work(bench: Bench, words: string[], env: Record<string, string> = {}) {
  const script = join(ROOT, "examples/curl-worker.sh");
  const own = { PATH: process.env.PATH ?? "", QLESS: bench.url, WORKER: "curl", ...env };
  const child = spawn("sh", [script, ...words], { env: own, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return { child, ended: once(child, "close").then(([code]) => ({ code, said })) };
}

everyServer("a worker of shell and curl", (open) => {
  test("takes jobs and completes them, whatever their data", async () => {
    const bench = await open();
    const datas = [
      { n: 1 },
      "text",
      [{ meta: { lease: 7 } }],
      ',"lease":9,"heartbeat":1},"time":{}}',
    ];
    const jids = ["a", "b", "c", "d"];
    for (const [i, data] of datas.entries()) await bench.client.put("q", data, { jid: jids[i]! });
    const { ended } = work(bench, ["q", "cat"], { ONCE: "1" });
    expect(await ended).toEqual({ code: 0, said: "" });
    const jobs = await bench.client.getMany(jids);
    expect(jobs.map(({ state }) => state)).toEqual(jids.map(() => "complete"));
    expect(jobs.map(({ data }) => data)).toEqual(datas);
  });

  test("works on a queue of any name, and leaves data as it was put", async () => {
    const bench = await open();
    for (const [i, name] of ["..", ".", "a b", "é?&%/#"].entries()) {
      const jid = `j${i}`;
      const data = '{"id":12345678901234567890}';
      const put = { klass: "k", jid, queue: name, data: "DATA" };
      await bench.post("/api/v1/jobs", JSON.stringify(put).replace('"DATA"', data));
      expect(await work(bench, [name, "cat"], { ONCE: "1" }).ended).toEqual({ code: 0, said: "" });
      expect(await bench.client.get(jid)).toMatchObject({ state: "complete", rawData: data });
    }
  });

  test("keeps what a command prints, and gives back what it failed at", async () => {
    const bench = await open({ tokens: tokens() });
    await bench.client.put("q", { n: 1 }, { jid: "a" });
    const env = { ONCE: "1", QLESS_TOKEN: TOKENS.work };
    await work(bench, ["q", "echo", '{"sent":true}'], env).ended;
    expect((await bench.client.get("a"))!.data).toEqual({ sent: true });
    await bench.client.put("q", { n: 1 }, { jid: "b", retries: 0 });
    await work(bench, ["q", "false"], env).ended;
    expect(await bench.client.get("b")).toMatchObject({
      state: "failed",
      failure: { group: "curl-worker", message: "The command ended with 1" },
    });
  });

  test("renews the lock while a command takes long, and is told to stop", async () => {
    const bench = await open();
    await bench.client.config.setQueue("q", "heartbeat", "2s");
    await bench.client.put("q", 1, { jid: "a" });
    const { child, ended } = work(bench, ["q", "sh", "-c", "sleep 4; echo 2"], { WAIT: "5" });
    await expect.poll(async () => (await bench.client.get("a"))!.state).toBe("running");
    const first = (await bench.client.get("a"))!.expires!;
    const renewed = async () => (await bench.client.get("a"))!.expires?.getTime() ?? 0;
    await expect.poll(renewed, { timeout: 4000 }).toBeGreaterThan(first.getTime() + 900);
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0 });
    expect(await bench.client.get("a")).toMatchObject({ state: "complete", data: 2 });
  });

  test("says who is not let in", async () => {
    const bench = await open({ tokens: tokens() });
    const { ended } = work(bench, ["q", "cat"], { ONCE: "1" });
    const { code, said } = await ended;
    expect(code).toBe(1);
    expect(said).toContain("Send a token that this server knows");
  });
});
