import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Guide } from "../guides.ts";
import { ExampleLeases } from "../lease-examples.ts";
import { read } from "../sources.ts";
import { everyServer } from "./support.ts";

const PATH = "docs/guides/http.md";
const HERE = "http://127.0.0.1:4774";
const guide = read(PATH);
// Not in one turn: the server that is asked is in this process.
const run = promisify(execFile);

new Guide(PATH).declare();

/** The commands of the guide, each with the JSON that it is said to print. */
const COMMANDS = [...guide.matchAll(/```sh\n(.*?)```(?:\n+```json\n(.*?)```)?/gs)].map(
  ([, code = "", prints]) => ({ code, prints }),
);

everyServer("the commands of the guide", (open) => {
  test("run one after the other, and print what it says", async () => {
    const bench = await open();
    expect(COMMANDS.length).toBeGreaterThan(8);
    const leases = new ExampleLeases();
    for (const { code, prints } of COMMANDS) {
      const command = leases.inText(code).replaceAll(HERE, bench.url);
      const { stdout } = await run("sh", ["-ec", command]);
      if (prints === undefined) continue;
      leases.learn(prints, stdout);
      expect(JSON.parse(stdout), code).toMatchObject(JSON.parse(leases.inText(prints)));
    }
  });
});

test("the guide names every flag of the command", async () => {
  const { stdout } = await run(process.execPath, ["dist/cli/qless.js", "serve", "--help"]);
  const flags = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag!);
  const common = ["--url", "--namespace", "--log-level", "--log-format"];
  expect(flags.length).toBeGreaterThan(10);
  expect(flags.filter((flag) => !common.includes(flag) && !guide.includes(flag))).toEqual([]);
});
