import type { Desk } from "./desk.ts";

/** A word of a verb: `<queue>`, `[data]` if it may be left out, `[jids...]` if there may be many. */
export interface Word {
  word: string;
  about: string;
  /** All that it may be. Help and completion tell them; the verb refuses others in its own words. */
  choices?: readonly string[];
}

export interface Flag {
  /** As commander takes it: `--delay <time>`. */
  flag: string;
  about: string;
  choices?: readonly string[];
}

/**
 * Something that a person does, declared once: the program, its help, the completion of shells, the
 * guide and the tests all come from the table of these.
 */
export interface Verb {
  /** One word, or two of which the first names a family: `recur put`. */
  name: string;
  about: string;
  words?: readonly Word[];
  flags?: readonly Flag[];
  /** Whole commands, as one would type them. */
  examples: readonly string[];
  /** What help says beneath the examples. */
  notes?: string;
  /**
   * Where it works: `queues`, which must be there; `place`, which it may make; or `nowhere`, and then
   * it has none of the flags that say where.
   */
  at: "queues" | "place" | "nowhere";
  /** Does it, and gives the code to exit with unless all is well. */
  run(desk: Desk): Promise<number | undefined>;
}

/** Flags of all verbs that work somewhere. */
export const PLACE_FLAGS: readonly Flag[] = [
  {
    flag: "--url <url>",
    about: "where the queues are (sqlite:./qless.db); say a password by QLESS_URL",
  },
  { flag: "--namespace <name>", about: "what every key begins with (ql)" },
  { flag: "--json", about: "print JSON for programs" },
];

/** The flag of verbs that ask before they destroy something or change many jobs. */
export const YES: Flag = { flag: "--yes", about: "do not ask" };

/** All flags that a verb takes. */
export const flagsOf = ({ at, flags = [] }: Verb): readonly Flag[] =>
  at === "nowhere" ? flags : [...flags, ...PLACE_FLAGS];
