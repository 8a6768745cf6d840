import { EXIT } from "../exit-codes.ts";
import { tableOf } from "../table.ts";
import { type Verb, YES } from "../verb.ts";

export const check: Verb = {
  name: "check",
  about: "Compare all jobs, indexes and counts with each other, and tell where they disagree.",
  flags: [{ flag: "--repair", about: "mend what is found" }, YES],
  examples: ["qless check", "qless check --repair --yes"],
  notes: "Exits with 4 when something is found. It should find nothing; --repair mends it.",
  at: "queues",
  async run(desk) {
    const repair = desk.flags.is("repair");
    const { maintenance } = await desk.open();
    const question = "Mend what disagrees? Entries without a job are removed.";
    if (repair && !(await desk.isSure(question))) return EXIT.DECLINED;
    const progress = desk.progress("Checking");
    let checked = 0;
    const onProgress = ({ looked }: { looked: number }) => {
      checked = looked;
      progress.at(looked);
    };
    const problems = await maintenance.check({ repair, onProgress });
    progress.end();
    const told = { checked, found: problems.length, repaired: repair, problems };
    const counted = problems.length === 1 ? "1 disagreement" : `${problems.length} disagreements`;
    desk.out.show(told, () => [
      ...(problems.length === 0 ? [] : problemsTable(problems)),
      `${counted}${repair && problems.length > 0 ? ", mended" : ""}; ${checked} entries looked at`,
    ]);
    return problems.length === 0 || repair ? EXIT.CLEAN : EXIT.FOUND;
  },
};

function problemsTable(problems: readonly { about: string; problem: string }[]): string[] {
  return tableOf(problems, [
    { title: "ABOUT", of: ({ about }) => about },
    { title: "PROBLEM", isFree: true, of: ({ problem }) => problem },
  ]);
}
