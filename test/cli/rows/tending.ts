import { expect } from "vitest";
import type { Rows } from "./row.ts";

export const TENDING: Rows = {
  install: [
    {
      does: "makes all ready",
      json: expect.objectContaining({ engine: expect.stringMatching(/^(sqlite|redis)$/) }),
    },
    { does: "takes no words", words: ["x"], code: 2, error: /^qless: too many arguments/ },
  ],
  bench: [
    {
      does: "measures",
      words: ["--jobs", "200"],
      json: {
        engine: "an SQLite file",
        jobs: 200,
        results: Array(4).fill({
          what: expect.any(String),
          perSecond: expect.any(Number),
          msPerCall: expect.any(Number),
        }),
      },
    },
    {
      does: "refuses too few jobs",
      words: ["--jobs", "1"],
      code: 2,
      error: "--jobs must be from 100 to 1000000",
    },
  ],
  completion: [
    {
      does: "prints a script",
      words: ["bash"],
      out: /^# qless completion bash[\s\S]*complete -o default -F _qless qless\n$/,
    },
    {
      does: "knows three shells",
      words: ["csh"],
      code: 2,
      error: "There is no completion for csh: there is bash, zsh, fish",
    },
  ],
};
