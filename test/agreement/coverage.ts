import { commands } from "../../src/core/commands/index.ts";
import { type Seen, STATES } from "./step.ts";

/** Commands that name jobs, which may be in any state. */
export const NAMING = [
  "cancel",
  "cancel.many",
  "checkin",
  "complete",
  "depends",
  "explain",
  "fail",
  "finish",
  "get",
  "heartbeat",
  "heartbeat.many",
  "log",
  "move",
  "multiget",
  "priority",
  "priority.many",
  "put",
  "put.many",
  "requeue",
  "retry",
  "tag",
  "tag.many",
  "timeout",
  "track",
];

interface Count {
  calls: number;
  refused: number;
  states: Record<Seen, number>;
}

/** How often each command was played, and in which states it met the jobs it named. */
export class Coverage {
  readonly #counts = new Map<string, Count>(
    Object.keys(commands).map((command) => [command, newCount()]),
  );

  note(command: string, states: Seen[], refused: boolean): void {
    const count = this.#counts.get(command)!;
    count.calls += 1;
    if (refused) count.refused += 1;
    for (const state of states) count.states[state] += 1;
  }

  /** Pairs of command and state that were not reached, and commands that were not played. */
  gaps(): string[] {
    return [...this.#counts].flatMap(([command, { calls, refused, states }]) => {
      const missed = NAMING.includes(command)
        ? STATES.filter((state) => states[state] === 0).map((state) => `${command} x ${state}`)
        : [];
      if (calls === refused) missed.push(`${command} answered`);
      if (refused === 0) missed.push(`${command} refused`);
      return missed;
    });
  }

  table(): string {
    const heads = ["command", "calls", "refused", ...STATES];
    const rows = [...this.#counts].map(([command, { calls, refused, states }]) => [
      command,
      String(calls),
      String(refused),
      ...STATES.map((state) => (NAMING.includes(command) ? String(states[state]) : "-")),
    ]);
    return [heads, ...rows].map(line).join("\n");
  }
}

const newCount = (): Count => ({
  calls: 0,
  refused: 0,
  states: Object.fromEntries(STATES.map((state) => [state, 0])) as Record<Seen, number>,
});

const line = ([first, ...rest]: string[]) =>
  first!.padEnd(18) + rest.map((cell) => cell.padStart(10)).join("");
