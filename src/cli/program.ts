import { readFileSync } from "node:fs";
import { Argument, Command, CommanderError, Option } from "commander";
import { nearest } from "../client/nearest.ts";
import { invalid } from "../client/times.ts";
import { QlessError } from "../engine.ts";
import { firstLine } from "../worker/modules.ts";
import { Desk, runVerb } from "./desk.ts";
import { EXIT, exitCodeOf } from "./exit-codes.ts";
import { complain } from "./uncaught.ts";
import { type Flag, flagsOf, type Verb, type Word } from "./verb.ts";
import { FAMILIES, VERBS } from "./verbs/index.ts";

/** Runs what the words say, and gives the code to exit with. Whatever happens is told in a sentence. */
export async function run(words: readonly string[]): Promise<number> {
  let code: number = EXIT.CLEAN;
  const program = root((result) => {
    code = result;
  });
  try {
    await program.parseAsync(knownVerb(words), { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.CLEAN : EXIT.USAGE;
    complain(error instanceof QlessError ? error.message : firstLine(error));
    return exitCodeOf(error);
  }
}

function root(done: (code: number) => void): Command {
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  );
  const program = new Command("qless")
    .description("A job queue, in an SQLite file or in Redis. `qless demo` shows it at work.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [verb]", "Print the help of a verb.")
    .exitOverride()
    .configureOutput({ outputError: (text) => complainOf(text) });
  const families = new Map<string, Command>();
  for (const verb of VERBS) {
    const [first, member] = verb.name.split(" ") as [string, string?];
    const about = FAMILIES[first];
    if (about !== undefined && !families.has(first)) {
      families.set(first, program.command(first).description(about));
    }
    addVerb(families.get(first) ?? program, verb, member ?? first, done);
  }
  return program;
}

function addVerb(parent: Command, verb: Verb, name: string, done: (code: number) => void): void {
  const command = parent.command(name).description(verb.about);
  for (const word of verb.words ?? []) command.addArgument(argumentOf(word));
  for (const { flag, about, choices } of flagsOf(verb)) {
    const option = new Option(flag, about);
    command.addOption(choices === undefined ? option : option.choices([...choices]));
  }
  command.configureOutput({ outputError: (text) => complainOf(text, flagsOf(verb)) });
  command.addHelpText("after", `\nExamples:\n${verb.examples.map((one) => `  ${one}`).join("\n")}`);
  if (verb.notes !== undefined) command.addHelpText("after", `\n${verb.notes}`);
  command.action(async (...given: unknown[]) => {
    const typed = given.at(-2) as Record<string, unknown>;
    const words = given
      .slice(0, -2)
      .flat()
      .filter((word) => word !== undefined) as string[];
    done(await runVerb(verb, new Desk(verb, words, typed)));
  });
}

/** Commander is told the choices for its help alone: its refusal would not say what to do instead. */
function argumentOf({ word, about, choices }: Word): Argument {
  const argument = new Argument(word, about);
  if (choices !== undefined) argument.argChoices = [...choices];
  return argument;
}

/** Says what commander says. It knows what is spelt alike, but not that `--prio` begins a flag. */
function complainOf(text: string, flags: readonly Flag[] = []): void {
  const sentence = text.trim().replace(/^error: /, "");
  const [, begun] = /^unknown option '(--[\w-]+)'$/.exec(sentence) ?? [];
  const names = flags.map(({ flag }) => flag.split(" ", 1)[0]!);
  const meant = begun && names.find((name) => name.startsWith(begun));
  complain(meant === undefined ? sentence : `${sentence} (Did you mean ${meant}?)`);
}

/** The words, if they begin with a verb or a flag; a family alone is its list, and nothing is help. */
function knownVerb(words: readonly string[]): readonly string[] {
  const [first, second] = words;
  if (first === undefined) return ["help"];
  if (first.startsWith("-")) return words;
  const firsts = [...new Set(VERBS.map(({ name }) => name.split(" ", 1)[0]!)), "help"];
  if (!firsts.includes(first)) throw noVerb(first, firsts);
  if (first === "help") return second === undefined ? words : helpOf(words.slice(1));
  if (!Object.hasOwn(FAMILIES, first)) return words;
  const members = VERBS.map(({ name }) => name.split(" ")).filter(([family]) => family === first);
  const names = members.map(([, member]) => member!);
  if (second === undefined) return [first, names[0]!];
  if (second === "-h" || second === "--help") return words;
  if (second === "help") return helpOf([first, ...words.slice(2)]);
  if (second.startsWith("-")) return [first, names[0]!, ...words.slice(1)];
  if (!names.includes(second)) throw noVerb(second, names, `${first} `);
  return words;
}

/** Commander shows the help of everything to whoever asks for that of a verb there is not. */
const helpOf = (words: readonly string[]) =>
  words[0] === "help" ? words : knownVerb([...words, "--help"]);

function noVerb(word: string, known: readonly string[], family = "") {
  const meant = nearest(word, known);
  const hint =
    meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${family}${meant}?`;
  return invalid(`There is no verb ${JSON.stringify(family + word)}: ${hint}`);
}
