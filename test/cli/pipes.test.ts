import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../sources.ts";
import { everySite } from "./support.ts";

const QLESS = `'${process.execPath}' '${join(ROOT, "dist/cli/qless.js")}'`;

/** What a shell prints for this line. The pipes of `spawn` are sockets, and take more than these. */
async function shell(line: string, flags: readonly string[]): Promise<string> {
  const words = flags.map((flag) => `'${flag}'`).join(" ");
  const script = line.replaceAll("PLACE", words).replaceAll("QLESS", QLESS);
  return (await promisify(execFile)("sh", ["-c", script])).stdout;
}

everySite("a pipe", (open) => {
  test("gets all of a long result, from one who reads it late too", async () => {
    const { client, flags } = await open();
    await client.queue("q").put("k", { long: "x".repeat(300_000) }, { jid: "a" });
    const late = await shell("QLESS get a --data PLACE | (sleep 0.3; wc -c)", flags);
    expect(Number(late)).toBe(`{"long":"${"x".repeat(300_000)}"}\n`.length);
  });

  test("carries a whole namespace, from one engine to another", async () => {
    const { client, flags, folder } = await open();
    const data = { long: "x".repeat(2000) };
    await client.queue("q").putMany(Array.from({ length: 200 }, () => ({ klass: "k", data })));
    const file = `--url 'sqlite:${join(folder, "copy.db")}'`;
    const told = await shell(
      `QLESS export PLACE | (sleep 0.3; cat) | QLESS import ${file} --json`,
      flags,
    );
    expect(JSON.parse(told)).toMatchObject({ jobs: 200, problems: 0 });
  });

  test("that its reader has closed ends the verb quietly", async () => {
    const { client, flags } = await open();
    await client.queue("q").put("k", { long: "x".repeat(300_000) }, { jid: "a" });
    expect(await shell("QLESS get a --data PLACE 2>&1 | head -c 3", flags)).toBe('{"l');
  });
});
