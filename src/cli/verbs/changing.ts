import { invalid } from "../../client/times.ts";
import { change, counted } from "../changing.ts";
import { EXIT } from "../exit-codes.ts";
import { numberIn } from "../flags.ts";
import { CRITERIA } from "../selection.ts";
import { type Verb, type Word, YES } from "../verb.ts";

/** Verbs that change the jobs that are named, or all that meet criteria. */

const JIDS: Word = { word: "[jids...]", about: "the jobs; or say which by criteria" };
const MANY = [...CRITERIA, YES];
const NOTES = "With criteria, the jobs are found and counted first, and you are asked.";

export const cancel: Verb = {
  name: "cancel",
  about: "Remove jobs for good, in any state but complete.",
  words: [JIDS],
  flags: MANY,
  examples: ["qless cancel welcome-7", "qless cancel --queue emails --state failed --yes"],
  notes: `${NOTES} A job that others wait for goes only together with these.`,
  at: "queues",
  run(desk) {
    const wordsFor = (jids: readonly string[]) => jids;
    const words = { verb: "Cancel", done: "canceled", command: "cancel.many" } as const;
    return change(desk, desk.words, { ...words, wordsFor, destroys: true });
  },
};

export const move: Verb = {
  name: "move",
  about: "Put jobs into another queue as they are, from whatever state.",
  words: [{ word: "<queue>", about: "where to" }, JIDS],
  flags: MANY,
  examples: ["qless move express welcome-7", "qless move slow --queue reports --klass monthly"],
  notes: NOTES,
  at: "queues",
  run(desk) {
    const [queue, ...jids] = desk.words as [string, ...string[]];
    const wordsFor = (some: readonly string[]) => [queue, ...some];
    return change(desk, jids, {
      verb: "Move",
      done: `moved to ${queue}`,
      command: "move",
      wordsFor,
    });
  },
};

export const retry: Verb = {
  name: "retry",
  about: "Let jobs run as soon as they can, each in its queue: failed and scheduled ones too.",
  words: [JIDS],
  flags: MANY,
  examples: ["qless retry welcome-7", "qless retry --group smtp-timeout"],
  notes: `${NOTES} To bring failed jobs into another queue, see unfail and move.`,
  at: "queues",
  run(desk) {
    const wordsFor = (jids: readonly string[]) => ["", ...jids];
    return change(desk, desk.words, {
      verb: "Retry",
      done: "put again",
      command: "move",
      wordsFor,
    });
  },
};

export const priority: Verb = {
  name: "priority",
  about: "Change the priority of jobs; lower runs sooner.",
  words: [{ word: "<priority>", about: "a number, such as -10" }, JIDS],
  flags: MANY,
  examples: ["qless priority -10 welcome-7", "qless priority 5 --klass report --state waiting"],
  notes: NOTES,
  at: "queues",
  run(desk) {
    const [text, ...jids] = desk.words as [string, ...string[]];
    const value = numberIn(text, "The priority");
    const wordsFor = (some: readonly string[]) => [value, ...some];
    const words = { verb: "Change the priority of", done: `of priority ${value}` };
    return change(desk, jids, { ...words, command: "priority.many", wordsFor });
  },
};

export const tag: Verb = {
  name: "tag",
  about: "Add tags to jobs, or remove them.",
  words: [JIDS],
  flags: [
    { flag: "--add <a,b>", about: "tags to add" },
    { flag: "--remove <a,b>", about: "tags to remove" },
    ...MANY,
  ],
  examples: ["qless tag welcome-7 --add vip,seen", "qless tag --queue emails --remove seen"],
  notes: NOTES,
  at: "queues",
  run(desk) {
    const add = desk.flags.names("add");
    const remove = desk.flags.names("remove");
    const tags = add ?? remove;
    if (tags === undefined) throw invalid("Which tags? Say --add a,b or --remove a,b");
    if (add !== undefined && remove !== undefined) throw invalid("Use --add or --remove, not both");
    const action = add === undefined ? "remove" : "add";
    const wordsFor = (jids: readonly string[]) => [action, JSON.stringify(tags), ...jids];
    const words = {
      verb: action === "add" ? "Tag" : "Untag",
      done: `${action === "add" ? "" : "un"}tagged`,
    };
    return change(desk, desk.words, { ...words, command: "tag.many", wordsFor });
  },
};

export const unfail: Verb = {
  name: "unfail",
  about: "Put failed jobs of a group into a queue, the longest failed first.",
  words: [
    { word: "<group>", about: "the group of failures" },
    { word: "<queue>", about: "where to" },
  ],
  flags: [{ flag: "--count <n>", about: "how many at most (all of the group)" }, YES],
  examples: [
    "qless unfail smtp-timeout emails",
    "qless unfail smtp-timeout emails --count 10 --yes",
  ],
  at: "queues",
  async run(desk) {
    const [group, queue] = desk.words as [string, string];
    const { failures } = await desk.open();
    const { total } = await failures.jobs(group, { count: 1 });
    const wanted = Math.min(desk.flags.whole("count") ?? total, total);
    const question = `Put ${counted(wanted)} of group ${group} into ${queue}?`;
    if (wanted > 0 && !(await desk.isSure(question))) return EXIT.DECLINED;
    const progress = desk.progress("Putting");
    let done = 0;
    while (done < wanted) {
      const some = await failures.unfail(group, queue, { count: Math.min(500, wanted - done) });
      if (some === 0) break;
      done += some;
      progress.at(done, wanted);
    }
    progress.end();
    desk.out.show({ found: total, done }, () => [`${counted(done)} put again`]);
    return undefined;
  },
};
