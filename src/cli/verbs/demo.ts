import type { Verb } from "../verb.ts";

const NOTES = `It needs nothing but Node: no server, no account. Jobs are kept in the namespace qless-demo, and
old ones are dropped. Signals: TERM and INT stop it, a second one at once.`;

export const demo: Verb = {
  name: "demo",
  about: "Show a small shop at work, with its web interface.",
  flags: [
    { flag: "--data <folder>", about: "keep the jobs in a file in this folder (./data)" },
    { flag: "--redis <url>", about: "keep the jobs in Redis" },
    { flag: "--port <n>", about: "the port to listen on, or the next that is free (4774)" },
    { flag: "--host <address>", about: "where to listen (127.0.0.1); whoever reaches it may act" },
  ],
  examples: ["qless demo", "qless demo --redis redis://localhost --port 8080"],
  notes: NOTES,
  at: "nowhere",
  async run({ flags, out }) {
    const { demonstrate } = await import("../demonstration/demonstrate.ts");
    return demonstrate(flags, out);
  },
};
