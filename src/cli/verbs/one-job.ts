import type { JobJson } from "../../client/job-json.ts";
import { invalid } from "../../client/times.ts";
import { Refused } from "../../engine.ts";
import { counted } from "../changing.ts";
import { EXIT } from "../exit-codes.ts";
import { jobsTable } from "../jobs.ts";
import { plain } from "../plain.ts";
import { checkedJson } from "../reading.ts";
import { type Verb, YES } from "../verb.ts";
import { jobAt } from "./get.ts";

/** Verbs about single jobs: who holds them, what they wait for, who hears of them. */

export const timeout: Verb = {
  name: "timeout",
  about: "Take running jobs from their workers, so that others can have them at once.",
  words: [{ word: "<jids...>", about: "the jobs: all of them, or none" }],
  flags: [YES],
  examples: ["qless timeout welcome-7", "qless timeout a b c --yes"],
  at: "queues",
  async run(desk) {
    const question = `Take ${counted(desk.words.length)} from the workers that run them?`;
    if (!(await desk.isSure(question))) return EXIT.DECLINED;
    await (await desk.calls()).write("timeout", desk.words);
    const done = desk.words.length;
    desk.out.show({ done }, () => [`${counted(done)} to be handed out again`]);
    return undefined;
  },
};

export const fail: Verb = {
  name: "fail",
  about: "End the run of a job as failed for good, in the place of its worker.",
  words: [
    { word: "<jid>", about: "the job; it must be running" },
    { word: "<group>", about: "the family of the failure, such as by-hand" },
    { word: "<message>", about: "the particular one" },
  ],
  flags: [{ flag: "--data <json>", about: "the job's new data" }, YES],
  examples: ["qless fail welcome-7 by-hand 'the customer has left'"],
  notes: "A job that is not running is moved out of the way by move, or removed by cancel.",
  at: "queues",
  async run(desk) {
    const [jid, group, message] = desk.words as [string, string, string];
    const data = desk.flags.text("data");
    if (data !== undefined) checkedJson(data, "--data");
    const { worker, lease, state } = await jobAt(desk, jid);
    if (lease === null) {
      const fix = "only a running one can be failed: see move and cancel";
      throw new Refused("NOT_RUNNING", `Job ${jid} is ${state}: ${fix}`);
    }
    if (!(await desk.isSure(`Fail job ${jid}, which ${worker} runs?`))) return EXIT.DECLINED;
    const words = [jid, worker, group, message, data ?? "", "lease", lease];
    await (await desk.calls()).write("fail", words);
    desk.out.show({ jid, group }, () => [plain(`${jid} failed in group ${group}`)]);
    return undefined;
  },
};

export const depends: Verb = {
  name: "depends",
  about: "Show what a job waits for, or change it.",
  words: [{ word: "<jid>", about: "the job that waits" }],
  flags: [
    { flag: "--on <a,b>", about: "wait for these jobs as well" },
    { flag: "--off <a,b>", about: "no longer wait for these; all for none at all" },
  ],
  examples: [
    "qless depends report",
    "qless depends report --on a,b",
    "qless depends report --off all",
  ],
  at: "queues",
  async run(desk) {
    const [jid] = desk.words as [string];
    const on = desk.flags.names("on");
    const off = desk.flags.names("off");
    if (on !== undefined && off !== undefined) throw invalid("Use --on or --off, not both");
    const calls = await desk.calls();
    if (on !== undefined) await calls.write("depends", [jid, "on", ...on]);
    if (off !== undefined) await calls.write("depends", [jid, "off", ...off]);
    const { state, dependencies, dependents } = await jobAt(desk, jid);
    desk.out.show({ jid, state, dependencies, dependents }, () =>
      [
        `${jid} is ${state}`,
        `waits for: ${dependencies.join(", ") || "nothing"}`,
        `awaited by: ${dependents.join(", ") || "nothing"}`,
      ].map(plain),
    );
    return undefined;
  },
};

export const track: Verb = {
  name: "track",
  about: "Announce what happens to jobs on channels of their own; without jids, list them.",
  words: [{ word: "[jids...]", about: "the jobs" }],
  flags: [{ flag: "--off", about: "no longer" }],
  examples: ["qless track welcome-7", "qless track", "qless track welcome-7 --off"],
  at: "queues",
  async run(desk) {
    const calls = await desk.calls();
    if (desk.words.length === 0) {
      if (desk.flags.is("off")) throw invalid("Which jobs? Say qless track <jids...> --off");
      type Tracked = { jobs: JobJson[]; expired: string[] };
      const tracked = JSON.parse((await calls.repeat("track", [])) as string) as Tracked;
      const gone = tracked.expired.map((jid) => plain(`${jid} is tracked, and gone`));
      desk.out.show(tracked, () => [...jobsTable(tracked.jobs), ...gone]);
      return undefined;
    }
    const action = desk.flags.is("off") ? "untrack" : "track";
    let done = 0;
    for (const jid of desk.words) done += Number(await calls.write("track", [action, jid]));
    desk.out.show({ found: desk.words.length, done }, () => [`${counted(done)} ${action}ed`]);
    return undefined;
  },
};
