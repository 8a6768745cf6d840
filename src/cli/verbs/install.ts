import { invalid } from "../../client/times.ts";
import { plain } from "../plain.ts";
import { REDIS_USERS, ruleFor } from "../redis-users.ts";
import type { Verb } from "../verb.ts";

export const install: Verb = {
  name: "install",
  about: "Load the function library into Redis, or make the file; print rules for Redis users.",
  flags: [{ flag: "--acl", about: "print only the rules for Redis users" }],
  examples: [
    "qless install",
    "qless install --acl --namespace shop --url redis://redis.example.com",
  ],
  at: "place",
  async run(desk) {
    if (desk.flags.is("acl") && desk.url.startsWith("sqlite:")) {
      throw invalid(
        "An SQLite file has no users and needs no rules. Name a Redis server with --url or QLESS_URL",
      );
    }
    const client = await desk.open();
    const { namespace } = client.engine;
    const facts = (await client.engine.facts?.()) ?? {};
    if (facts.sqlite_version !== undefined) {
      desk.out.show({ engine: "sqlite", file: facts.file, acl: {} }, () => [
        plain(`${facts.file} is ready. An SQLite file has no users, so there are no rules`),
      ]);
      return undefined;
    }
    const acl = Object.fromEntries(
      REDIS_USERS.map((user) => [user.name, ruleFor(namespace, user)]),
    );
    const library = facts.library?.split(" ")[0] ?? null;
    const told = { engine: "redis", mode: facts.mode, library, acl };
    const first = `The library is there: ${library === null ? "scripts" : `version ${library}`}`;
    const lines = pasted(Object.values(acl));
    desk.out.show(told, () => (desk.flags.is("acl") ? lines : [first, "", ...lines]));
    return undefined;
  },
};

/** Pasted into a shell, all of it makes the users; each rule alone can be pasted into redis-cli. */
function pasted(rules: readonly string[]): string[] {
  const abouts = REDIS_USERS.map(({ name, about }) => `# qless-${name} ${about}.`);
  const how = "# Replace each password, then paste all of this into a shell,";
  return [
    ...abouts,
    how,
    "# or paste the three rules into redis-cli.",
    "redis-cli <<'RULES'",
    ...rules,
    "RULES",
  ];
}
