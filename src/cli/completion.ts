import { flagsOf, type Verb } from "./verb.ts";

/** Scripts that make shells complete verbs and flags. They know what the table of verbs knew. */

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The script for a shell, to be read at its start. */
export function completionFor(shell: Shell, verbs: readonly Verb[]): string {
  return { bash: bash, zsh: zsh, fish: fish }[shell](verbs);
}

const firstOf = ({ name }: Verb) => name.split(" ", 1)[0]!;
const longOf = (flag: string) => flag.split(" ", 1)[0]!;
const firsts = (verbs: readonly Verb[]) => [...new Set(verbs.map(firstOf)), "help"];

/** Second words by the first, for verbs of two words. */
function families(verbs: readonly Verb[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { name } of verbs) {
    const [family, member] = name.split(" ") as [string, string?];
    if (member !== undefined) found.set(family, [...(found.get(family) ?? []), member]);
  }
  return found;
}

interface Place {
  verb: Verb;
  /** Which word of the line it is; `qless` is number 0. */
  at: number;
  choices: readonly string[];
}

/** Words of verbs of which all that they may be is known. */
function chosenWords(verbs: readonly Verb[]): Place[] {
  return verbs.flatMap((verb) =>
    (verb.words ?? []).flatMap(({ choices }, i) =>
      choices === undefined ? [] : [{ verb, at: verb.name.split(" ").length + 1 + i, choices }],
    ),
  );
}

function bash(verbs: readonly Verb[]): string {
  const flags = verbs.map((verb) => {
    const names = flagsOf(verb).map(({ flag }) => longOf(flag));
    return `    ${JSON.stringify(verb.name)}) flags="${[...names, "--help"].join(" ")}" ;;`;
  });
  const choices = verbs.flatMap((verb) =>
    flagsOf(verb).flatMap(({ flag, choices: of }) =>
      of === undefined ? [] : [`    "${verb.name} ${longOf(flag)}") words="${of.join(" ")}" ;;`],
    ),
  );
  const members = [...families(verbs)].map(
    ([family, names]) => `    ${family}) words="${names.join(" ")}" ;;`,
  );
  const places = chosenWords(verbs).map(
    ({ verb, at, choices: of }) => `    "${verb.name} ${at}") words="${of.join(" ")}" ;;`,
  );
  const helped = [...families(verbs)].map(
    ([family, names]) => `    "help ${family}") words="${names.join(" ")}" ;;`,
  );
  return `# qless completion bash: source <(qless completion bash)
_qless() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local verb="\${COMP_WORDS[1]}" words="" flags=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${firsts(verbs).join(" ")}" -- "$current"))
    return
  fi
  case "$verb" in
${[...families(verbs).keys()].map((family) => `    ${family}) [ "$COMP_CWORD" -gt 2 ] && verb="$verb \${COMP_WORDS[2]}" ;;`).join("\n")}
  esac
  case "$verb" in
${members.join("\n")}
  esac
  case "$verb $before" in
${choices.join("\n")}
${helped.join("\n")}
  esac
  case "$verb $COMP_CWORD" in
    "help 2") words="${firsts(verbs).join(" ")}" ;;
${places.join("\n")}
  esac
  case "$verb" in
${flags.join("\n")}
  esac
  if [[ "$current" == -* ]]; then words="$flags"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _qless qless
`;
}

/** Zsh reads the completions of bash. */
function zsh(verbs: readonly Verb[]): string {
  return `#compdef qless
# qless completion zsh: source <(qless completion zsh)
autoload -Uz bashcompinit && bashcompinit
${bash(verbs)}`;
}

function fish(verbs: readonly Verb[]): string {
  const lines = ["# qless completion fish: qless completion fish | source", "complete -c qless -f"];
  const known = firsts(verbs).join(" ");
  const families_ = families(verbs);
  for (const first of firsts(verbs)) {
    const about = verbs.find(({ name }) => name === first)?.about ?? "";
    const hint = about === "" ? "" : ` -d ${quoted(about)}`;
    lines.push(
      `complete -c qless -n "not __fish_seen_subcommand_from ${known}" -a ${first}${hint}`,
    );
  }
  const inPlace = (first: string, at: number, words: readonly string[]) => {
    const when = `__fish_seen_subcommand_from ${first}; and test (count (commandline -opc)) -eq ${at}`;
    lines.push(`complete -c qless -n "${when}" -a ${quoted(words.join(" "))}`);
  };
  inPlace("help", 2, firsts(verbs));
  for (const { verb, at, choices } of chosenWords(verbs)) inPlace(firstOf(verb), at, choices);
  for (const verb of verbs) {
    const [first, member] = verb.name.split(" ") as [string, string?];
    const others = (families_.get(first) ?? []).join(" ");
    const inFamily = `__fish_seen_subcommand_from ${first}`;
    if (member !== undefined) {
      const when = `${inFamily}; and not __fish_seen_subcommand_from ${others}`;
      lines.push(`complete -c qless -n "${when}" -a ${member} -d ${quoted(verb.about)}`);
    }
    const at =
      member === undefined ? inFamily : `${inFamily}; and __fish_seen_subcommand_from ${member}`;
    for (const { flag, about, choices } of flagsOf(verb)) {
      const needs = flag.includes("<") ? " -r" : "";
      const words = choices === undefined ? "" : ` -a ${quoted(choices.join(" "))}`;
      const name = longOf(flag).slice(2);
      lines.push(`complete -c qless -n "${at}" -l ${name}${needs}${words} -d ${quoted(about)}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
