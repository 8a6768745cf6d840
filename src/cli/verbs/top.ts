import { invalid, milliseconds } from "../../client/times.ts";
import { placeOf } from "../plain.ts";
import type { Verb } from "../verb.ts";

/** Looks may follow each other so soon, in milliseconds. */
const SOONEST_MS = 100;
const USUAL = "1s";

export const top: Verb = {
  name: "top",
  about: "Watch queues, rates, workers and failures on the whole screen, and act by keys.",
  flags: [{ flag: "--every <time>", about: `how often to look (${USUAL})` }],
  examples: ["qless top", "qless top --every 5s --url redis://redis.example.com"],
  notes: `Keys: up and down choose, tab goes to the next section, enter opens a queue, a group, a worker or
a job, esc goes back; p pauses a queue or unpauses it, r retries a job or a group, c cancels a job,
t takes a job from its worker, q quits. What destroys or concerns many is asked about.`,
  at: "queues",
  async run(desk) {
    const everyMs = milliseconds(desk.flags.time("every") ?? USUAL, "--every");
    if (everyMs < SOONEST_MS) throw invalid(`--every must be ${SOONEST_MS}ms or more`);
    if (desk.out.isJson) throw invalid("top has no JSON: see qless queues --json and tail --json");
    if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
      throw invalid("top needs a terminal: see qless queues, qless workers and qless failed");
    }
    const client = await desk.open(() => {});
    const { Console } = await import("../top/console.ts");
    const place = `${placeOf(desk.url)} ${client.engine.namespace}`;
    const console = new Console(client, place);
    process.on("SIGTERM", () => console.close());
    process.on("SIGHUP", () => console.close());
    console.open(everyMs);
    await console.ended;
    return undefined;
  },
};
