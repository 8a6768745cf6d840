import { invalid } from "../../client/times.ts";
import { plain } from "../plain.ts";
import type { Verb } from "../verb.ts";

/** What users of Redis need, beside the keys and channels of the namespace. */
const RIGHTS = {
  deployer: {
    about: "loads the library, and does all that others do",
    rights:
      "+@read +@write +@pubsub +@connection +fcall +fcall_ro +function +multi +exec +time +info",
  },
  worker: {
    about: "puts and runs jobs, with a library that is there",
    rights: "+@read +@write +@pubsub +@connection +fcall +fcall_ro +time +info",
  },
  reader: {
    about: "looks and listens, and changes nothing",
    rights:
      "+@read +@connection +fcall_ro +subscribe +unsubscribe +psubscribe +punsubscribe +time +info",
  },
} as const;

export const install: Verb = {
  name: "install",
  about: "Load the function library into Redis, or make the file; print rules for Redis users.",
  flags: [{ flag: "--acl", about: "print the rules alone" }],
  examples: [
    "qless install",
    "qless install --acl --namespace shop --url redis://redis.example.com",
  ],
  at: "place",
  async run(desk) {
    if (desk.flags.is("acl") && desk.url.startsWith("sqlite:")) {
      throw invalid(
        "A file has no users, and needs no rules: name a Redis with --url or QLESS_URL",
      );
    }
    const client = await desk.open();
    const { namespace } = client.engine;
    const facts = (await client.engine.facts?.()) ?? {};
    if (facts.sqlite_version !== undefined) {
      desk.out.show({ engine: "sqlite", file: facts.file, acl: {} }, () => [
        plain(`${facts.file} is ready; a file has no users, so there are no rules`),
      ]);
      return undefined;
    }
    const rules = Object.entries(RIGHTS).map(([name, one]) => ({ name, ...one }));
    const acl = Object.fromEntries(
      rules.map(({ name, rights }) => [name, ruleOf(namespace, name, rights)]),
    );
    const library = facts.library?.split(" ")[0] ?? null;
    const told = { engine: "redis", mode: facts.mode, library, acl };
    const lines = rules.flatMap(({ name, about }) => [`# ${name}: ${about}`, acl[name]!]);
    const first = `The library is there: ${library === null ? "scripts" : `version ${library}`}`;
    desk.out.show(told, () => (desk.flags.is("acl") ? lines : [first, "", ...lines]));
    return undefined;
  },
};

function ruleOf(namespace: string, name: string, rights: string): string {
  const places = `~${namespace} ~${namespace}:* &${namespace}:*`;
  return `ACL SETUSER qless-${name} on '>secret' ${places} ${rights}`;
}
