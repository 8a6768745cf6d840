import type { Client } from "../../src/client/client.ts";

/** What is there before an example is tried out. */

export const FILES: Record<string, string> = {
  "package.json": '{"type":"module"}',
  "jobs/welcome.js": "export default () => {};\n",
  "deploy/qless.config.js": 'export default { queues: ["emails"], jobs: "../jobs" };\n',
  tokens: "boss admin boss-0123456789abcdef\n",
  "report.json": '{"month":"2031-01"}',
  "users.json": '{"users":[{"to":"ada@example.com"},{"to":"bob@example.com"}]}',
  ".zfunc/README": "",
  ".config/fish/completions/README": "",
};

const EXPORT = `{"qless":"export","form":1,"namespace":"x","at":"2031-01-31T00:00:00.000Z"}
{"key":"config","record":["heartbeat","90"]}
{"end":true,"entries":1}
`;

/** Files of a verb alone: export makes one of this name, and would ask. */
export const OWN_FILES: Record<string, Record<string, string>> = {
  import: { "jobs.jsonl": EXPORT },
};

type World = (client: Client) => Promise<unknown>;

/** Jobs in every state that examples look for; those that run are handed out to workers of these names. */
const usual: World = async (client) => {
  const emails = client.queue("emails");
  await emails.put("welcome", {}, { jid: "done" });
  await (await emails.pop({ worker: "old-one" }))[0]!.complete();
  await emails.put("welcome", {}, { jid: "bounced" });
  await (await emails.pop({ worker: "old-one" }))[0]!.fail("smtp-timeout", "no answer");
  await emails.put("welcome", {}, { jid: "held" });
  await emails.pop({ worker: "host-4711-a1b2c3" });
  const tags = ["acme", "seen"];
  await emails.put("welcome", { to: "ada@example.com" }, { jid: "welcome-7", tags });
  await client.queue("reports").put("monthly", {}, { jid: "january" });
  await client.queue("reports").put("report", {}, { jid: "a" });
  await client.queue("reports").put("report", {}, { jid: "b", delay: "1h" });
};

/** Jobs of these jids, in the hands of a worker. */
const running =
  (...jids: string[]): World =>
  async (client) => {
    for (const jid of jids) await client.queue("emails").put("welcome", {}, { jid });
    await client.queue("emails").pop({ worker: "w", count: jids.length });
  };

const schedule: World = (client) =>
  client.schedules.set("report", "daily", {}, { cron: "0 9 * * *", queue: "reports" });

const nothing: World = async () => {};

const tracked: World = async (client) => {
  await usual(client);
  await (await client.get("welcome-7"))!.track();
};

/** By verb or by example, where it is not the usual. */
const WORLDS: Record<string, World> = {
  fail: running("welcome-7"),
  timeout: running("welcome-7", "a", "b", "c"),
  depends: async (client) => {
    for (const jid of ["a", "b", "c"]) await client.queue("q").put("k", {}, { jid });
    await client.queue("q").put("k", {}, { jid: "report", depends: ["c"] });
  },
  "qless track": tracked,
  "qless track welcome-7 --off": tracked,
  unpause: (client) => client.queue("emails").pause(),
  "recur list": schedule,
  "recur pause": schedule,
  "recur next": schedule,
  "recur drop": schedule,
  "config unset": async (client) => {
    await client.config.set("heartbeat", 90);
    await client.config.setQueue("emails", "max-concurrency", 5);
  },
  // It wants an empty namespace.
  import: nothing,
};

export const worldOf = (verb: string, text: string): World => WORLDS[text] ?? WORLDS[verb] ?? usual;
