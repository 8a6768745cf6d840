import { invalid } from "../../client/times.ts";
import { plain } from "../plain.ts";
import type { Verb } from "../verb.ts";

export const pause: Verb = {
  name: "pause",
  about: "Hand out no more jobs of queues; what runs, runs on.",
  words: [{ word: "<queues...>", about: "the queues" }],
  flags: [
    { flag: "--reason <text>", about: "why, for those who wonder" },
    { flag: "--for <time>", about: "how long, such as 10m (until unpause)" },
    { flag: "--until <date>", about: "until when" },
  ],
  examples: ["qless pause emails", "qless pause emails reports --for 10m --reason 'deploying'"],
  at: "queues",
  async run(desk) {
    const { flags } = desk;
    const until = flags.text("until");
    if (until !== undefined && Number.isNaN(Date.parse(until))) {
      throw invalid("--until must be a date and time such as 2031-01-31T06:00:00Z");
    }
    const reason = flags.text("reason");
    const length = flags.time("for");
    if (length !== undefined && until !== undefined)
      throw invalid("Say --for or --until, not both");
    const client = await desk.open();
    for (const queue of desk.words) {
      await client.queue(queue).pause({
        ...(reason !== undefined && { reason }),
        ...(length !== undefined && { for: length }),
        ...(until !== undefined && { until }),
      });
    }
    desk.out.show({ paused: desk.words }, () => [plain(`Paused: ${desk.words.join(", ")}`)]);
    return undefined;
  },
};

export const unpause: Verb = {
  name: "unpause",
  about: "Hand out jobs of queues again.",
  words: [{ word: "<queues...>", about: "the queues" }],
  examples: ["qless unpause emails"],
  at: "queues",
  async run(desk) {
    await (await desk.calls()).write("unpause", desk.words);
    desk.out.show({ unpaused: desk.words }, () => [plain(`Unpaused: ${desk.words.join(", ")}`)]);
    return undefined;
  },
};
