import { invalid } from "../../client/times.ts";
import { completionFor, SHELLS } from "../completion.ts";
import type { Verb } from "../verb.ts";

export const completion: Verb = {
  name: "completion",
  about: "Print a script that makes a shell complete verbs and flags.",
  words: [{ word: "<shell>", about: "the shell", choices: SHELLS }],
  examples: [
    "source <(qless completion bash)",
    "qless completion zsh > ~/.zfunc/_qless",
    "qless completion fish > ~/.config/fish/completions/qless.fish",
  ],
  at: "nowhere",
  async run(desk) {
    const shell = SHELLS.find((one) => one === desk.words[0]);
    if (shell === undefined) {
      throw invalid(`There is no completion for ${desk.words[0]}: there is ${SHELLS.join(", ")}`);
    }
    // The table has this verb in it, so it is asked for when both are there.
    const { VERBS } = await import("./index.ts");
    process.stdout.write(completionFor(shell, VERBS));
    return undefined;
  },
};
