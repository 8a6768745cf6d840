import { isLength, keptNamesOf, type QueueSettings, type Settings } from "../../client/config.ts";
import { timeIn } from "../flags.ts";
import { plain } from "../plain.ts";
import { tableOf, WHOLE } from "../table.ts";
import type { Flag, Verb } from "../verb.ts";

/** Verbs about settings of the namespace and of single queues. */

const OF_QUEUE: Flag = { flag: "--queue <queue>", about: "the setting of this queue" };
const QUEUE_NOTES =
  "Settings of a queue are heartbeat, max-concurrency, retries, backoff and cutoff; those of the\n" +
  "namespace are in docs/protocol.md, Settings. Times have a unit: 90s.";

export const configList: Verb = {
  name: "config list",
  about: "Show all settings that are set or have a default; times in seconds.",
  flags: [{ flag: "--queue <queue>", about: "those of this queue" }],
  examples: ["qless config", "qless config list --queue emails --json"],
  at: "queues",
  async run(desk) {
    const queue = desk.flags.text("queue");
    const all = Object.entries(await (await desk.open()).config.all());
    const kept = queue === undefined ? undefined : keptNamesOf(queue);
    const rows = all
      .filter(([name]) => kept === undefined || kept.includes(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    desk.out.show(Object.fromEntries(rows), () => listLines(rows, queue));
    return undefined;
  },
};

function listLines(rows: readonly [string, string | number][], queue = ""): string[] {
  if (rows.length === 0) return [plain(`${queue} has no settings of its own.`)];
  return tableOf(rows, [
    { title: "SETTING", least: WHOLE, of: ([name]) => name },
    { title: "VALUE", isFree: true, of: ([, value]) => String(value) },
  ]);
}

export const configSet: Verb = {
  name: "config set",
  about: "Change a setting, at once and for all.",
  words: [
    { word: "<setting>", about: "its name" },
    { word: "<value>", about: "its value" },
  ],
  flags: [OF_QUEUE],
  examples: ["qless config set heartbeat 90s", "qless config set max-concurrency 5 --queue emails"],
  notes: QUEUE_NOTES,
  at: "place",
  async run(desk) {
    const [setting, value] = desk.words as [string, string];
    const queue = desk.flags.text("queue");
    if (isLength(setting)) timeIn(value, setting);
    const { config } = await desk.open();
    if (queue === undefined) await config.set(setting as keyof Settings, value as never);
    else await config.setQueue(queue, setting as keyof QueueSettings, value as never);
    desk.out.show({ setting, queue: queue ?? null, value }, () => [
      plain(`${setting}${ofQueue(queue)} is ${value}`),
    ]);
    return undefined;
  },
};

export const configUnset: Verb = {
  name: "config unset",
  about: "Bring a setting back to its default.",
  words: [{ word: "<setting>", about: "its name" }],
  flags: [OF_QUEUE],
  examples: ["qless config unset heartbeat", "qless config unset max-concurrency --queue emails"],
  notes: QUEUE_NOTES,
  at: "queues",
  async run(desk) {
    const [setting] = desk.words as [string];
    const queue = desk.flags.text("queue");
    const { config } = await desk.open();
    if (queue === undefined) await config.unset(setting as keyof Settings);
    else await config.unsetQueue(queue, setting as keyof QueueSettings);
    desk.out.show({ setting, queue: queue ?? null }, () => [
      plain(`${setting}${ofQueue(queue)} is at its default`),
    ]);
    return undefined;
  },
};

const ofQueue = (queue: string | undefined) => (queue === undefined ? "" : ` of ${queue}`);
