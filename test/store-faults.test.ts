import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands } from "../src/core/commands/index.ts";
import { openDatabase } from "../src/embedded/database.ts";
import { EmbeddedEngine } from "../src/embedded/engine.ts";
import type { CommandName } from "../src/engine.ts";
import { sqliteContents } from "./agreement/contents.ts";
import { NAMING } from "./agreement/coverage.ts";
import { callsAbout, OTHER_CALLS } from "./agreement/fault-calls.ts";
import { MALFORMED } from "./agreement/malformed.ts";
import { isRefusal, isWrite, overheard } from "./agreement/recording.ts";
import { type Outcome, Scenario } from "./agreement/scenario.ts";

/**
 * Redis keeps what a failed script has written, SQLite undoes it. So a command must have refused
 * before it writes, and SQLite must undo everything wherever a command breaks off.
 */

const COMMANDS = Object.keys(commands) as CommandName[];
/** A job of each state: two that are stalled, and one whose lock is lost that was not told yet. */
const STATES = ["none", "waiting", "running", "scheduled", "due", "depends", "stalled", "expired"];
const ENDED = ["warned", "failed", "complete"];

/** Commands that begin or end runs, which keep what they are at in one place for all calls. */
const ENDING: CommandName[] = ["pop", "finish", "complete", "fail", "retry"];

class Fault extends Error {}

let scenario: Scenario;
beforeAll(async () => {
  scenario = await Scenario.open();
});
afterAll(() => scenario.close());

/** All calls of a command: about each job if it names one, and malformed ones. */
function callsOf(command: CommandName): string[][] {
  const about = scenario.subjects.flatMap((subject) => callsAbout(subject)[command] ?? []);
  return [...about, ...(OTHER_CALLS[command] ?? []), ...MALFORMED[command]];
}

/** Makes a call and tells what it asked of the store. */
function traced(command: CommandName, argv: string[]): Traced {
  const methods: string[] = [];
  const asked: string[] = [];
  const outcome = scenario.attempt(command, argv, (store) =>
    overheard(store, (method, args) => {
      methods.push(method);
      asked.push(`${method} ${JSON.stringify(args)}`);
    }),
  );
  return { outcome, methods, asked };
}

interface Traced {
  outcome: Outcome;
  methods: string[];
  /** The same, with what was said. */
  asked: string[];
}

/** Sends a running job on, which ends a run, notes how long it took and brings a job to a queue. */
const sentOn = () => traced("complete", ["running", "w", "q1", "{}", "next", "q2"]);

/** Makes a call of which the `at`-th question to the store raises. */
function broken(command: CommandName, argv: string[], at: number): Outcome {
  let count = 0;
  return scenario.attempt(command, argv, (store) =>
    overheard(store, () => {
      count += 1;
      if (count === at) throw new Fault();
    }),
  );
}

const refusalOf = (outcome: Outcome) =>
  "thrown" in outcome && isRefusal(outcome.thrown) ? outcome.thrown.err : undefined;

test("the scenario has a job in every state, and calls of every command about it", () => {
  const jids = scenario.subjects.map(({ jid }) => jid);
  expect(jids).toEqual(expect.arrayContaining([...STATES, ...ENDED]));
  for (const subject of scenario.subjects) {
    expect(Object.keys(callsAbout(subject))).toEqual(expect.arrayContaining(NAMING));
  }
  for (const command of COMMANDS) {
    const outcomes = callsOf(command).map((argv) => traced(command, argv).outcome);
    expect(
      outcomes.some((outcome) => "reply" in outcome),
      `${command} is answered`,
    ).toBe(true);
    expect(
      outcomes.some((outcome) => refusalOf(outcome)),
      `${command} is refused`,
    ).toBe(true);
    const strange = outcomes.filter((each) => "thrown" in each && refusalOf(each) === undefined);
    expect(strange).toEqual([]);
  }
});

describe.each(COMMANDS)("%s", (command) => {
  test("refuses before it writes, whatever the state of the job", () => {
    for (const argv of callsOf(command)) {
      const { outcome, methods } = traced(command, argv);
      const refusal = refusalOf(outcome);
      if (refusal === undefined) continue;
      expect(methods.filter(isWrite), `${argv.join(" ")}: ${refusal}`).toEqual([]);
    }
  });

  test("leaves nothing when any of its calls to the store raises", { timeout: 120_000 }, () => {
    const before = scenario.image();
    for (const argv of callsOf(command)) {
      scenario.renew();
      const undisturbed = traced(command, argv);
      const other = sentOn();
      const { methods } = undisturbed;
      for (let at = 1; at <= methods.length; at++) {
        const { thrown } = broken(command, argv, at) as { thrown: unknown };
        const where = `${argv.join(" ")}, call ${at}: ${methods[at - 1]}`;
        expect(thrown, where).toBeInstanceOf(Fault);
        expect(scenario.image().equals(before), `unchanged after ${where}`).toBe(true);
        if (!ENDING.includes(command)) continue;
        expect(sentOn(), `another call after ${where}`).toEqual(other);
        expect(traced(command, argv), `the same call after ${where}`).toEqual(undisturbed);
      }
      expect(traced(command, argv), "what it does when nothing raises").toEqual(undisturbed);
    }
  });
});

test("an engine undoes the call that broke off, and only that", async () => {
  const db = await openDatabase(":memory:", "full");
  const breaking = {
    ...commands.put,
    run: (...[store, ...rest]: Parameters<typeof commands.put.run>) => {
      commands.put.run(store, ...rest);
      throw new Fault("broke off at the end");
    },
  };
  const broken = { ...commands, requeue: breaking } as never;
  const engine = new EmbeddedEngine({ db, namespace: "ql", clock: () => 1e12, commands: broken });
  const put = (jid: string) => engine.call("put", ["w", "q", jid, "k", "{}", 0]);
  await put("a");
  const breaks = engine.call("requeue", ["w", "r", "a", "k", "{}", 0]);
  await Promise.all([put("b"), expect(breaks).rejects.toThrow(Fault), put("c")]);
  const { records, rankings } = sqliteContents(db);
  expect(Object.keys(records).filter((key) => key.startsWith("ql:j:"))).toHaveLength(3);
  expect(rankings["ql:queues"]).toEqual({ q: 1e12 });
  expect(records["ql:j:a"]).toMatchObject({ queue: "q" });
  await engine.close();
});
