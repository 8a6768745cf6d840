import type { JobJson } from "../../client/job-json.ts";
import { NoSuchJob } from "../../engine.ts";
import type { Desk } from "../desk.ts";
import { jobPage } from "../jobs.ts";
import type { Verb } from "../verb.ts";

export const get: Verb = {
  name: "get",
  about: "Show all that is known of a job.",
  words: [{ word: "<jid>", about: "the job" }],
  flags: [{ flag: "--data", about: "print the data alone, byte for byte, for programs" }],
  examples: ["qless get welcome-7", "qless get welcome-7 --data | jq .to"],
  at: "queues",
  async run(desk) {
    const job = await jobAt(desk, desk.words[0]!);
    if (desk.flags.is("data")) desk.out.raw(job.data);
    else desk.out.show(job, () => jobPage(job));
    return undefined;
  },
};

/** The job, or a refusal that says that there is none. */
export async function jobAt(desk: Desk, jid: string): Promise<JobJson> {
  const job = await (await desk.calls()).json<JobJson | undefined>("get", [jid]);
  if (job !== undefined) return job;
  throw new NoSuchJob("NO_SUCH_JOB", `There is no job ${jid}: see qless search --like ${jid}`);
}
