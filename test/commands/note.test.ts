import { expect, test } from "vitest";
import { everyEngine } from "../engines.ts";
import { unchanged } from "../told.ts";
import { type BadCall, badCalls, refusesEach, resent, told } from "./behaviour.ts";

everyEngine("note", (open) => {
  test("tells the log who did what, to what and to how many, and keeps nothing", async () => {
    const bench = await open();
    const heard = await bench.hearing(() =>
      unchanged(bench, async () => {
        expect(await bench.call("note", "ada", "pause", "to", "q", "queue", "q")).toBeFalsy();
        await bench.call("note", 'é "x"', "bulk cancel", "count", 12, "facts", ' {"tag":["a"]} ');
        await bench.call("note", "ada", "tick", "facts", "{}", "count", 0);
      }),
    );
    expect(told(heard)).toEqual([
      ["log", { event: "audit", by: "ada", action: "pause", to: "q", queue: "q" }],
      [
        "log",
        { event: "audit", by: 'é "x"', action: "bulk cancel", count: 12, facts: { tag: ["a"] } },
      ],
      ["log", { event: "audit", by: "ada", action: "tick", count: 0, facts: {} }],
    ]);
  });

  test("does not let facts say who did it", async () => {
    const bench = await open();
    const heard = await bench.hearing(() =>
      bench.call("note", "ada", "move", "facts", '{"by":"eve","event":"put"}'),
    );
    expect(told(heard)).toEqual([
      ["log", { event: "audit", by: "ada", action: "move", facts: { by: "eve", event: "put" } }],
    ]);
  });

  test("tells it once when it is sent again", async () => {
    const bench = await open();
    await resent(bench, "note", "ada", "move", "count", 1);
  });

  const BAD: BadCall[] = [
    ...badCalls(
      ["ada", "move"],
      [
        ["by", "name"],
        ["action", "name"],
      ],
    ),
    ["no place", ["ada", "move", "to", ""], /^Arg "to" must be 1 to 255 bytes/],
    ["a queue that is none", ["ada", "move", "queue", "\n"], /^Arg "queue" must be 1 to 255/],
    ["half a job", ["ada", "move", "count", 0.5], 'Arg "count" not a whole number: 0.5'],
    ["facts that are none", ["ada", "move", "facts", "[]"], 'Arg "facts" not a JSON object'],
    [
      "long facts",
      ["ada", "move", "facts", `{"x":"${"n".repeat(8192)}"}`],
      'Arg "facts" is longer than 8192 bytes',
    ],
    ["an option that is none", ["ada", "move", "when", "now"], /^Unknown option when/],
    ["an option without a value", ["ada", "move", "to"], /^Odd number/],
  ];

  test("refuses arguments that cannot be, and tells nobody", async () => {
    const bench = await open();
    const heard = await bench.hearing(() => refusesEach(bench, "note", BAD));
    expect(heard).toEqual([]);
  });
});
