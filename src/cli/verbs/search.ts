import type { JobJson } from "../../client/job-json.ts";
import { invalid } from "../../client/times.ts";
import { jobsTable } from "../jobs.ts";
import { plain } from "../plain.ts";
import { CRITERIA, criteriaIn } from "../selection.ts";
import type { Verb } from "../verb.ts";
import { COUNT } from "./listing.ts";

export const search: Verb = {
  name: "search",
  about: "Find jobs by any mix of criteria.",
  flags: [
    ...CRITERIA,
    { flag: "--order <order>", about: "newest first, or oldest", choices: ["newest", "oldest"] },
    COUNT,
    { flag: "--jids", about: "print nothing but jids, one to a line" },
    { flag: "--all", about: "print all there are" },
  ],
  examples: [
    "qless search --queue emails --state failed",
    "qless search --tag acme --klass welcome --from 2h",
    "qless search --state scheduled --all --jids > jids.txt",
  ],
  at: "queues",
  async run(desk) {
    const { flags, out } = desk;
    const count = flags.is("all") ? Number.POSITIVE_INFINITY : (flags.whole("count") ?? 25);
    if (count === 0) throw invalid("--count must be 1 or more");
    const order = flags.text("order") as "newest" | "oldest" | undefined;
    const client = await desk.open();
    const calls = await desk.calls();
    const progress = desk.progress("Searching");
    const found: JobJson[] = [];
    const named: string[] = [];
    let left = count;
    for await (const slice of client.search({ ...criteriaIn(flags), order }).jids()) {
      const jids = slice.slice(0, left);
      left -= jids.length;
      if (flags.is("jids")) named.push(...jids);
      else found.push(...(await calls.json<JobJson[]>("multiget", jids)));
      progress.at(count - left);
      if (left === 0) break;
    }
    progress.end();
    if (flags.is("jids")) out.show(named, () => named.map(plain));
    else out.show(found, () => jobsTable(found));
    return undefined;
  },
};
