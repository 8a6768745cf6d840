import { expect, test } from "vitest";
import type { CommandName } from "../src/engine.ts";
import { everyEngine, refused } from "./engines.ts";
import { told } from "./told.ts";

const BAD = [
  ...[
    "",
    "a\nb",
    "a\rb",
    "\r\n",
    "a\tb",
    "\u0000",
    "a\u0000b",
    "\u0001",
    "\u001b[0m",
    "\u007f",
    "\u0080",
    "a\u0085b",
    "\u009f",
  ],
  ...["x".repeat(256), "é".repeat(128), "a".repeat(100_000)],
];

everyEngine("what is no name", (open) => {
  const roles: [role: string, command: CommandName, args: (name: string) => (string | number)[]][] =
    [
      ["jid", "put", (name) => ["w", "q", name, "k", "{}", 0]],
      ["queue", "put", (name) => ["w", name, "a", "k", "{}", 0]],
      ["worker", "put", (name) => [name, "q", "a", "k", "{}", 0]],
      ["klass", "put", (name) => ["w", "q", "a", name, "{}", 0]],
      ["tag", "put", (name) => ["w", "q", "a", "k", "{}", 0, "tags", JSON.stringify(["x", name])]],
      [
        "dependency",
        "put",
        (name) => ["w", "q", "a", "k", "{}", 0, "depends", JSON.stringify([name])],
      ],
      ["source", "put", (name) => ["w", "q", "a", "k", "{}", 0, "source", name]],
      [
        "jid in a batch",
        "put.many",
        (name) => ["w", "q", "b", "k", "{}", 0, 0, "q", name, "k", "{}", 0, 0],
      ],
      ["queue in a batch", "put.many", (name) => ["w", name, "b", "k", "{}", 0, 0]],
      ["queue to pop", "pop", (name) => [name, "w", 1]],
      ["second queue to pop", "pop", (name) => ["q", "w", 1, "also", JSON.stringify([name])]],
      ["worker that pops", "pop", (name) => ["q", name, 1]],
      ["queue to finish for", "finish", (name) => ["w", 1, JSON.stringify([name])]],
      ["next queue", "complete", (name) => ["held", "w", "r", "{}", "next", name]],
      ["group", "fail", (name) => ["held", "w", name, "message"]],
      ["jid to read", "get", (name) => [name]],
      ["jid to read among others", "multiget", (name) => ["held", name]],
      ["jid to cancel", "cancel", (name) => ["held", name]],
      ["jid to time out", "timeout", (name) => ["held", name]],
      ["jid to track", "track", (name) => ["track", name === "" ? "\n" : name]],
      ["tag to add", "tag", (name) => ["add", "held", name]],
      ["tag to look for", "tag", (name) => ["get", name]],
      ["queue to list", "jobs", (name) => ["running", name]],
      ["setting", "config.set", (name) => [name, "value"]],
      ["recurring jid", "recur", (name) => ["q", name, "k", "{}", "interval", 60, 0]],
    ];

  for (const [role, command, args] of roles) {
    test(`is refused as ${role}`, async () => {
      const bench = await open();
      await bench.put("r", "held");
      await bench.pop("r", "w");
      const before = await told(bench);
      for (const name of BAD) {
        await refused(bench.call(command, ...args(name)), "BAD_ARGUMENT").catch((error: Error) => {
          error.message = `${JSON.stringify(name).slice(0, 50)}: ${error.message}`;
          throw error;
        });
      }
      expect(await told(bench)).toEqual(before);
    });
  }

  test("is half of a surrogate pair", async () => {
    const bench = await open();
    for (const name of ["\ud800", "a\udc00b"]) {
      await refused(bench.call("put", "w", "q", name, "k", "{}", 0), "BAD_ARGUMENT");
      await refused(bench.call("get", name), "BAD_ARGUMENT");
    }
    expect(await bench.json("queues")).toEqual([]);
  });
});
