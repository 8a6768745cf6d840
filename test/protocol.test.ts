import { describe, expect, test } from "vitest";
import { backoffMs, readBackoff } from "../src/core/backoff.ts";
import type { Command } from "../src/core/command.ts";
import { COMPLETE_OPTIONS, FAIL_OPTIONS, RETRY_OPTIONS } from "../src/core/commands/finish.ts";
import { commands } from "../src/core/commands/index.ts";
import { DEFAULTS, QUEUE_SETTINGS } from "../src/core/config.ts";
import { POPPED, POPPED_MORE } from "../src/core/handing.ts";
import { LAYOUT } from "../src/core/layout.ts";
import * as limits from "../src/core/limits.ts";
import { REFUSALS } from "../src/core/refuse.ts";
import type { Store } from "../src/core/store.ts";
import { nodeText } from "../src/embedded/text.ts";
import { eventsOf, refusalsOf } from "./reachable.ts";
import { headingsOf, quoted, sectionOf, tableOf } from "./sections.ts";
import { read } from "./sources.ts";

const protocol = read("docs/protocol.md");
const table: [string, Command][] = Object.entries(commands as object as Record<string, Command>);
const section = (name: string) => sectionOf(protocol, `### ${name}`);

test("the protocol has a section for every command, and none for a command that is gone", () => {
  expect(headingsOf(protocol, 3).toSorted()).toEqual(Object.keys(commands).toSorted());
});

test("the protocol leads to every command from its overview", () => {
  const links = [...sectionOf(protocol, "## Commands").matchAll(/\[([\w.]+)\]\(#(\w+)\)/g)];
  const expected = Object.keys(commands).map((name) => [name, name.replaceAll(".", "")]);
  const found = links.map(([, name, anchor]) => [name, anchor]);
  expect(found.toSorted()).toEqual(expected.toSorted());
});

/** The usage line that a declaration asks for; what stands for an option's value is free. */
function usageOf(name: string, { takes, options }: Command): string {
  const positional = takes.map(([param, kind, optional]) => {
    const word = kind === "names" || kind === "rest" ? `${param}...` : param;
    return optional === undefined ? word : `[${word}]`;
  });
  return [name, ...positional, ...options.map(([option]) => `[${option} ?]`)].join(" ");
}

const MARKS = {
  reads: "Reads.",
  writes: "Writes.",
  frees: "Writes; allowed when memory is short.",
};

function argumentsOf({ takes, options }: Command): string[][] {
  const positional = takes.map(([name, kind, optional]) => [
    `\`${name}\``,
    optional === undefined ? kind : `${kind}, optional`,
  ]);
  return [...positional, ...options.map(([name, kind]) => [`\`${name}\``, `${kind}, option`])];
}

/** The words in backticks of the line that begins with this label. */
function listed(name: string, label: string): string[] {
  const line = new RegExp(`^- \\*\\*${label}\\*\\*.*$`, "m").exec(section(name))?.[0] ?? "";
  return [...new Set(quoted(line))];
}

/** What any command can be refused with; the page says it once. */
const ANYWHERE = ["BAD_ARGUMENT", "FOREIGN_LAYOUT", "DAMAGED_KEY"];

/**
 * Refusals of shared functions that a command cannot reach: a claim without a queue cannot name the
 * wrong one, and requeue has no options about jids that exist.
 */
const IMPOSSIBLE: Record<string, string[]> = {
  requeue: ["JID_TAKEN", "NOT_PERMITTED"],
  fail: ["WRONG_QUEUE"],
  finish: ["WRONG_QUEUE"],
  checkin: ["WRONG_QUEUE"],
  heartbeat: ["WRONG_QUEUE"],
  "heartbeat.many": ["WRONG_QUEUE"],
};

describe.each(table)("the section of %s", (name, command) => {
  test("shows the arguments and options in their order", () => {
    const usage = quoted(section(name).trimStart().split("\n")[0] ?? "")[0] ?? "";
    expect(usage.replaceAll(/\[([\w]+) [\w]+\]/g, "[$1 ?]")).toBe(usageOf(name, command));
  });

  test("says whether it writes, and whether it may when memory is short", () => {
    const mark = !command.writes ? MARKS.reads : command.frees ? MARKS.frees : MARKS.writes;
    expect(section(name).trimStart().split("\n")[2]).toBe(mark);
  });

  test("explains each argument and option with its kind", () => {
    const rows = tableOf(section(name), "argument").map((cells) => cells.slice(0, 2));
    expect(rows).toEqual(argumentsOf(command));
  });

  test("says what kind of reply it gives", () => {
    const kind = /^- \*\*Reply\*\* \((\w+)\)/m.exec(section(name))?.[1];
    expect(kind).toBe(command.gives);
  });

  test("lists the refusals beside bad arguments", () => {
    const impossible = [...ANYWHERE, ...(IMPOSSIBLE[name] ?? [])];
    const possible = refusalsOf(name).filter((code) => !impossible.includes(code));
    const codes = listed(name, "Refused").filter((word) => /^[A-Z_]+$/.test(word));
    expect(codes.toSorted()).toEqual(possible.toSorted());
  });

  test("lists what it announces", () => {
    const names = listed(name, "Announces").filter((word) => word !== "next");
    // Whatever may bring a job into a queue may wake a worker; that is said once for all.
    const events = eventsOf(name).filter((event) => event !== "wake");
    expect(names.toSorted()).toEqual(events);
  });
});

test("the protocol explains every kind of argument", () => {
  const source = /export type Kind =([^;]+);/.exec(read("src/core/command.ts"))?.[1] ?? "";
  const kinds = [...source.matchAll(/"(\w+)"/g)].map(([, kind]) => `\`${kind}\``);
  const rows = tableOf(sectionOf(protocol, "## Arguments"), "kind");
  expect(rows.map(([kind]) => kind).toSorted()).toEqual(kinds.toSorted());
});

test("the protocol explains every kind of reply", () => {
  const kinds = [...new Set(table.map(([, { gives }]) => `\`${gives}\``))];
  const rows = tableOf(sectionOf(protocol, "## Replies"), "kind");
  expect(rows.map(([kind]) => kind).toSorted()).toEqual(kinds.toSorted());
});

test("the protocol explains every code of a refusal, and no other", () => {
  const rows = tableOf(sectionOf(protocol, "## Refusals"), "code");
  expect(rows.map(([code]) => code)).toEqual(REFUSALS.map((code) => `\`${code}\``));
});

test("the protocol names no code that is gone", () => {
  const words = [...new Set(quoted(protocol).filter((word) => /^[A-Z]+_[A-Z_]+$/.test(word)))];
  expect(words.filter((word) => !(REFUSALS as readonly string[]).includes(word))).toEqual([
    "FCALL_RO",
  ]);
});

test("the protocol lists every setting with its default", () => {
  const own = QUEUE_SETTINGS.map((word) => [`\`<queue>-${word}\``, "none"]);
  const expected = [...DEFAULTS.map(([name, value]) => [`\`${name}\``, `\`${value}\``]), ...own];
  const rows = tableOf(sectionOf(protocol, "## Settings"), "setting").map((row) => row.slice(0, 2));
  expect(rows.toSorted()).toEqual([...expected, ["`heartbeat-<queue>`", "none"]].toSorted());
});

test("the protocol states every limit", () => {
  const rows = tableOf(sectionOf(protocol, "## Limits"), "limit");
  const stated = rows.map(([value]) => Number(value?.split(" ")[0]?.replaceAll(",", "")));
  expect(stated).toEqual(Object.values(limitsInOrder()));
});

/** The constants in the order of their file; a module's own order is that of the alphabet. */
function limitsInOrder(): Record<string, number> {
  const names = [...read("src/core/limits.ts").matchAll(/^export const (\w+)/gm)];
  const all: Record<string, number> = limits;
  return Object.fromEntries(names.map(([, name]) => [name, all[name ?? ""] ?? Number.NaN]));
}

test("the protocol states the limits where they matter, too", () => {
  const kind = (name: string) =>
    tableOf(sectionOf(protocol, "## Arguments"), "kind").find(
      ([cell]) => cell === `\`${name}\``,
    )?.[1];
  const stated: [text: string | undefined, limit: number][] = [
    [kind("text"), limits.MAX_MESSAGE],
    [kind("json"), limits.MAX_DATA],
    [kind("count"), limits.MAX_COUNT],
    [kind("list"), limits.MAX_LIST],
    [kind("names"), limits.MAX_LIST],
    [kind("priority"), limits.MAX_PRIORITY],
    [kind("seconds"), limits.MAX_SECONDS],
    [section("put.many"), limits.MAX_BATCH],
    [section("heartbeat.many"), limits.MAX_BATCH],
    [section("finish"), limits.MAX_BATCH],
    [section("move"), limits.MAX_BATCH],
    [section("cancel.many"), limits.MAX_BATCH],
    [section("priority.many"), limits.MAX_BATCH],
    [section("tag.many"), limits.MAX_BATCH],
    [section("tag.many"), limits.MAX_TAGGINGS],
    [section("search"), limits.SEARCH_SLICE],
    [section("search"), limits.SEARCH_GROUPS],
    [section("complete"), limits.RELEASE_SLICE],
    [section("pop"), limits.SLICE],
    [sectionOf(protocol, "## The time of a call and its request id"), limits.MAX_REQUESTS],
  ];
  for (const [text, limit] of stated) expect(text).toContain(limit.toLocaleString("en-US"));
});

test("the protocol shows the values of a popped job in their order", () => {
  const rows = tableOf(section("pop"), "at");
  expect(rows.map(([at, name]) => [at, name])).toEqual(
    POPPED.map((name, i) => [String(i), `\`${name}\``]),
  );
  const more = tableOf(section("pop"), "member").map(([name]) => name);
  expect(more).toEqual(POPPED_MORE.map((name) => `\`${name}\``));
});

test("the protocol shows what may be said of each outcome", () => {
  const outcomes = { complete: COMPLETE_OPTIONS, fail: FAIL_OPTIONS, retry: RETRY_OPTIONS };
  const rows = tableOf(section("finish"), "verb");
  expect(rows.map(([verb, options]) => [verb, quoted(options ?? "")])).toEqual(
    Object.entries(outcomes).map(([verb, options]) => [
      `\`${verb}\``,
      options.map(([name]) => name),
    ]),
  );
});

test("the protocol lists every event of the log and every channel of tracked jobs", () => {
  const events = sectionOf(protocol, "## Events");
  const source = read("src/core/events.ts");
  const logged = [...source.matchAll(/"event":"(\w+)/g)].map(([, event]) => `\`${event}\``);
  expect(
    tableOf(events, "event")
      .map(([event]) => event)
      .toSorted(),
  ).toEqual(logged.toSorted());
  const told = new Set(table.flatMap(([name]) => eventsOf(name)));
  const channels = quoted(tableOf(events, "channel").at(-1)?.[0] ?? "");
  const others = [...told].filter((event) => !logged.includes(`\`${event}\``));
  expect(others.filter((event) => !channels.includes(event))).toEqual([]);
  expect(channels.filter((channel) => !told.has(channel))).toEqual([]);
});

test("the protocol computes the rests of a backoff as the core does", () => {
  const store = { text: nodeText } as Partial<Store> as Store;
  for (const [text, rests] of tableOf(sectionOf(protocol, "## Backoff"), "backoff")) {
    const backoff = readBackoff(store, text?.replaceAll("`", "") ?? "");
    if (backoff === undefined) throw new Error(`${text} is no backoff`);
    const computed = [1, 2, 3, 4, 5, 6].map((n) => backoffMs(backoff, n, 0.5) / 1000);
    expect(computed.join(", ")).toBe(rests);
  }
});

test("the protocol tells the layout", () => {
  expect(section("layout")).toContain(`the layout, ${LAYOUT} at present`);
});
